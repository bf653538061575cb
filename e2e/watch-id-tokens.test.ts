import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type CiWorld, startCiWorld } from './ci-world.ts'

const SERVICE =
  'echo "start $PERCENT" >>"$LOG"; trap \'echo end >>"$LOG"; exit 0\' TERM; while :; do sleep 0.05; done'

const until = (seen: () => unknown, wanted: unknown) => expect.poll(seen, { interval: 50 }).toEqual(wanted)

describe('run --watch with ID tokens, which live for minutes', () => {
  let world: CiWorld
  let folder: string
  const running: ChildProcess[] = []

  beforeAll(async () => {
    world = await startCiWorld()
    folder = mkdtempSync(join(tmpdir(), 'keyferry-watch-'))
  })
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL')
  })
  afterAll(async () => {
    await world?.dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A program that notes in a log what it was given. */
  function watch(credential: Readonly<Record<string, string>>) {
    const log = join(mkdtempSync(join(folder, 'run-')), 'log')
    const words = ['run', '--watch', '--keys', 'PERCENT', 'prod/billing', '--', 'sh', '-c', SERVICE]
    const child = spawn(join(world.clientFolder, 'keyferry'), words, {
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        LOG: log,
        KEYFERRY_SERVER: world.address,
        KEYFERRY_MACHINE: world.machineId,
        ...world.trustVariables,
        ...credential,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running.push(child)
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const starts = () =>
      (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []).filter((line) =>
        line.startsWith('start '),
      )
    return { child, exit: once(child, 'exit').then(([code]) => code), starts, stderr: () => stderr }
  }

  async function change(value: string): Promise<void> {
    const call = createClient(world.server.url)
    const keys = await call('GET', '/api/v1/keys', { query: { query: 'PERCENT' } })
    const params = { key_id: keys[0]?.id ?? '' }
    await call('PUT', '/api/v1/keys/{key_id}', { params, body: { value } })
  }

  test('each call of a job at GitHub has its own token', async () => {
    const { child, exit, starts } = watch(world.requestVariables)
    await until(() => starts().length, 1)
    await until(() => world.issued.length, 2)
    await change('one')
    await until(() => starts().at(-1), 'start one')
    await until(() => world.issued.length >= 4 && new Set(world.issued).size === world.issued.length, true)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  test('an expired token in a file is reported once; the next one in the file is used', async () => {
    const file = join(folder, 'token')
    const nowSeconds = Math.floor(Date.now() / 1_000)
    writeFileSync(file, await world.idToken('kubernetes'))
    const { child, exit, starts, stderr } = watch({ KEYFERRY_ID_TOKEN_FILE: file })
    await until(() => starts().length, 1)
    const times = { iat: nowSeconds - 900, nbf: nowSeconds - 900, exp: nowSeconds - 600 }
    writeFileSync(file, await world.idToken('kubernetes', world.address, times))
    await change('two')
    await until(() => stderr().includes('the ID token has expired'), true)
    expect(starts()).toHaveLength(1)
    writeFileSync(file, await world.idToken('kubernetes'))
    await until(() => starts().at(-1), 'start two')
    expect(stderr().match(/the ID token has expired/g)).toHaveLength(1)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })
})
