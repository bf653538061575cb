import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { requestIdOf } from '@keyferry/contract/approval-link'
import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../cli/src/base/version.ts'
import { writeChecksums } from '../release/checksums.ts'
import { buildExecutable } from '../release/executable.ts'
import { targetHere } from '../release/targets.ts'
import { describeInheritance } from './inherited-descriptors.ts'
import { type RunningServer, startServer } from './start-server.ts'

const TOOLS = ['sh', 'printenv', 'cat']

let executable: string
let server: RunningServer
let home: string

beforeAll(async () => {
  const target = targetHere()
  if (target === null) throw new Error('no single executable is made for this system')
  executable = buildExecutable(target)
  server = await startServer()
  home = mkdtempSync(join(tmpdir(), 'keyferry-executable-'))
  const bin = join(home, 'bin')
  mkdirSync(bin)
  for (const name of TOOLS) symlinkSync(join('/usr/bin', name), join(bin, name))
  symlinkSync(executable, join(bin, 'keyferry'))
  writeFileSync(join(home, 'app.env'), 'GREETING="it\'s me"\nPORT=3000\n')
})

afterAll(async () => {
  await server?.dispose()
  if (home !== undefined) rmSync(home, { recursive: true })
})

type Outcome = { exit: number | null; stdout: string; stderr: string }

// The program that runs these tests may have leaked descriptors, and the client stays as a parent to hand them on.
const WITHOUT_LEAKS =
  'for fd in /proc/self/fd/*; do [ "${fd##*/}" -lt 3 ] || eval "exec ${fd##*/}>&-"; done; exec /bin/sh -c "$0"'

/** A command on a machine that has the executable, three programs, and no Node.js. */
async function onBareMachine(command: string, cwd = home): Promise<Outcome> {
  const env = { HOME: home, PATH: join(home, 'bin'), KEYFERRY_SERVER: server.url, LANG: 'C.UTF-8' }
  const child = spawn('/bin/bash', ['-c', WITHOUT_LEAKS, command], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const approving = approveWhatIsShown(child.stderr)
  const [exit, stdout, stderr] = await Promise.all([ended, readText(child.stdout), approving])
  return { exit, stdout, stderr }
}

async function approveWhatIsShown(stderr: NodeJS.ReadableStream): Promise<string> {
  let shown = ''
  let approval: Promise<void> | null = null
  for await (const chunk of stderr) {
    shown += String(chunk)
    const short = /\/a\/([\w-]{22})\s/.exec(shown)?.[1]
    if (short !== undefined) approval ??= approve(requestIdOf(short) ?? '')
  }
  await approval
  return shown
}

async function approve(id: string): Promise<void> {
  const call = createClient(server.url)
  const [bundle] = await call('GET', '/api/v1/bundles')
  const body = { bundle_id: bundle?.id ?? '', include_keys: ['GREETING', 'PORT'] }
  await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
    params: { request_id: id },
    body,
  })
}

test('without Node.js it imports, runs a program and pulls, against a real server', async () => {
  expect((await onBareMachine('command -v node')).exit).not.toBe(0)
  expect((await onBareMachine('keyferry --version')).stdout).toBe(`${VERSION}\n`)
  expect(await onBareMachine('keyferry import app.env --bundle dev/app --yes')).toMatchObject({ exit: 0 })
  const run = await onBareMachine(
    `keyferry run dev/app --no-open -- sh -c 'echo "$GREETING $PORT $$"; exit 7' & echo $!; wait $!`,
  )
  const [child, printed] = run.stdout.trim().split('\n')
  expect([run.exit, printed]).toEqual([7, `it's me 3000 ${child}`])
  const pull = await onBareMachine('keyferry pull dev/app --no-open --format json')
  expect(JSON.parse(pull.stdout)).toEqual({ GREETING: "it's me", PORT: '3000' })
})

test('without Node.js it is installed from the server by one line, and runs', async () => {
  const clientDir = mkdtempSync(join(tmpdir(), 'keyferry-client-dir-'))
  const name = `keyferry-${VERSION}-${targetHere()}.gz`
  writeFileSync(join(clientDir, name), gzipSync(readFileSync(executable), { level: 1 }))
  writeChecksums(clientDir, [name])
  const giving = await startServer({ env: { CLIENT_DIR: clientDir } })
  try {
    const tools = 'chmod cp curl gunzip gzip mkdir mv printf rm sha256sum uname'.split(' ')
    for (const tool of tools) symlinkSync(join('/usr/bin', tool), join(home, 'bin', tool))
    const line = `curl -fsS ${giving.url}/install.sh | sh`
    const { exit, stdout } = await onBareMachine(`${line} && "$HOME/.local/bin/keyferry" --version`)
    expect([exit, stdout]).toEqual([0, expect.stringMatching(new RegExp(`\n${VERSION}\n$`))])
  } finally {
    await giving.dispose()
    rmSync(clientDir, { recursive: true })
  }
})

// Bun reads both files by default.
test('it obeys neither .env nor bunfig.toml of the folder that it starts in', async () => {
  const folder = join(home, 'hostile')
  mkdirSync(folder)
  writeFileSync(join(folder, '.env'), 'KEYFERRY_SERVER=https://evil.example\nINJECTED=1\n')
  writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./preload.ts"]\n')
  writeFileSync(join(folder, 'preload.ts'), 'console.log("preloaded")\n')
  const { stdout } = await onBareMachine(
    'unset KEYFERRY_SERVER; keyferry doctor --brief; keyferry --version',
    folder,
  )
  expect(stdout).toContain('http://127.0.0.1:5393')
  expect(stdout).not.toMatch(/evil|preloaded/)
  const run = await onBareMachine('keyferry run dev/app --no-open -- printenv INJECTED', folder)
  expect([run.exit, run.stdout]).toEqual([1, ''])
})

test('the same sources give the same bytes', () => {
  const before = hash('sha256', readFileSync(executable))
  rmSync(executable)
  const target = targetHere()
  expect(target === null ? '' : hash('sha256', readFileSync(buildExecutable(target)))).toBe(before)
})

describe.skipIf(process.platform !== 'linux')('what a program inherits through it', () => {
  describeInheritance(() => `'${executable}'`)
})
