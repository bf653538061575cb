import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { requestIdOf } from '@keyferry/contract/approval-link'
import { createClient } from '@keyferry/contract/client'
import { freePort } from '@keyferry/plumbing/free-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../plumbing/test/until.ts'
import { ARTEFACTS } from '../release/places.ts'
import { ROOT } from './documents.ts'

const TOOLS =
  'bash cat chmod cp curl cut env grep gunzip gzip head id ldd ln mkdir mv printenv printf rm sh sha256sum tail tar uname'.split(
    ' ',
  )

let home: string
let address: string
const running: ReturnType<typeof start>[] = []

const start = (command: string, input = '') => {
  const env = { HOME: home, PATH: `${join(home, 'tools')}:${join(home, '.local/bin')}`, LANG: 'C.UTF-8' }
  const child = spawn('/bin/bash', ['-c', command], { cwd: home, env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(input)
  return child
}

async function on(command: string, input?: string): Promise<string> {
  const child = start(command, input)
  const [stdout] = await Promise.all([readText(child.stdout), once(child, 'close')])
  expect(`${command}: ${child.exitCode}`).toBe(`${command}: 0`)
  return stdout
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'keyferry-server-program-'))
  mkdirSync(join(home, 'tools'))
  for (const name of TOOLS) symlinkSync(`/usr/bin/${name}`, join(home, 'tools', name))
  writeFileSync(join(home, '.env'), 'GREETING="it\'s me"\n')
  const target = `${process.platform}-${process.arch}`
  const release = spawn('npm', ['run', '-s', 'release', '--', target, `server-${target}`], { cwd: ROOT })
  expect(await once(release, 'close')).toEqual([0, null])
  address = `http://127.0.0.1:${await freePort()}`
})

afterAll(async () => {
  for (const child of running) child.kill()
  await Promise.all(running.map(async (child) => child.exitCode ?? (await once(child, 'close'))))
  rmSync(home, { recursive: true })
})

test('from the files of a release to a program with its value, on a machine without Node.js', async () => {
  await on(`sh -s -- --from ${ARTEFACTS}`, readFileSync(join(ARTEFACTS, 'install-server.sh'), 'utf8'))
  running.push(start(`PORT=${new URL(address).port} DATA_DIR=$HOME/data exec keyferry-server`))
  await until('the home page', () =>
    fetch(address).then(
      ({ status }) => status === 200,
      () => false,
    ),
  )
  expect(await on(`curl -fsS ${address}/install.sh | sh`)).toContain('Installed keyferry')
  writeFileSync(join(home, 'asked'), '')
  await on(`keyferry import .env --bundle dev/app --server ${address} --yes`)
  const waiting = start(`keyferry run dev/app --no-open --server ${address} -- printenv GREETING 2>>asked`)
  running.push(waiting)
  const asked = () => /\/a\/([\w-]{22})\s/.exec(readFileSync(join(home, 'asked'), 'utf8'))?.[1]
  await approve(requestIdOf(await until('a request', asked)) ?? '')
  expect(await readText(waiting.stdout)).toBe("it's me\n")
})

async function approve(requestId: string): Promise<void> {
  const call = createClient(address)
  const [bundle] = await call('GET', '/api/v1/bundles')
  await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
    params: { request_id: requestId },
    body: { bundle_id: bundle?.id ?? '', include_keys: ['GREETING'] },
  })
}
