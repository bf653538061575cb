import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { freePort } from '@keyferry/plumbing/free-port'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freshPostgres } from '../plumbing/test/postgres.ts'
import { PATIENCE_MS } from '../plumbing/test/until.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

const databaseUrl = await freshPostgres()
const databases = [['sqlite', null] as const, ...(databaseUrl ? [['postgres', databaseUrl] as const] : [])]

const until = (seen: () => unknown, wanted: unknown) => expect.poll(seen, { interval: 50 }).toEqual(wanted)

describe.each(databases)('run --watch on %s', (kind, url) => {
  let server: RunningServer
  let folder: string
  let keys: Map<string, string>
  let metricsPort: number
  let machine: { id: string; token: string; bundleId: string }
  const running: ChildProcess[] = []

  beforeAll(async () => {
    metricsPort = await freePort()
    const metrics = { METRICS_PORT: String(metricsPort) }
    const env = url === null ? metrics : { DATABASE_URL: url, ROOT_KEY: formatRootKey(generateRootKey()) }
    server = await startServer({ env })
    const entries = ['A', 'B'].map((name) => ({ name, value: 'first' }))
    await call('POST', '/imports', { bundle: 'prod/app', entries })
    const [bundle] = await call('GET', '/bundles')
    const { id } = await call('POST', '/machines', { name: 'service' })
    await call('PUT', `/machines/${id}/bundles/${bundle.id}`, { scope: 'deliver' })
    const { token } = await call('POST', `/machines/${id}/tokens`, {})
    machine = { id, token, bundleId: bundle.id }
    const listed: { name: string; id: string }[] = await call('GET', `/bundles/${bundle.id}/keys`)
    keys = new Map(listed.map((key) => [key.name, key.id]))
  })
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  afterAll(() => server.dispose())

  async function call(method: string, path: string, body?: unknown) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return JSON.parse(await answer.text())
  }
  const change = (name: string, value: string) => call('PUT', `/keys/${keys.get(name)}`, { value })

  /** `keyferry run --watch` with a shell script as the program, which notes in `log` what it was given. */
  function watch(script: string, flags: readonly string[] = []) {
    folder = mkdtempSync(join(tmpdir(), 'keyferry-watch-'))
    const log = join(folder, 'log')
    writeFileSync(log, '')
    const program = join(folder, 'program')
    writeFileSync(program, `#!/bin/sh\n${script}\n`)
    chmodSync(program, 0o755)
    const child = spawn(
      process.execPath,
      [CLIENT_PROGRAM, 'run', '--watch', ...flags, 'prod/app', '--', program],
      {
        env: {
          PATH: process.env['PATH'],
          HOME: folder,
          LOG: log,
          KEYFERRY_TOKEN: machine.token,
          KEYFERRY_SERVER: server.url,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    running.push(child)
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const exit = once(child, 'exit').then(([code]) => code as number | null)
    const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [])
    return { child, exit, lines, stderr: () => stderr }
  }
  const SERVICE =
    'echo "start $A $B" >>"$LOG"; trap \'echo end >>"$LOG"; exit 0\' TERM; while :; do sleep 0.05; done'

  test('1,000 changes in seconds are a few restarts, and the last value arrives', async () => {
    const { child, exit, lines, stderr } = watch(SERVICE)
    await until(() => lines().length, 1)
    const changesBegan = Date.now()
    for (let round = 1; round <= 100; round++) {
      await Promise.all(Array.from({ length: 10 }, (_each, n) => change(n % 2 ? 'A' : 'B', `${round}`)))
    }
    await change('A', 'the last')
    await until(() => lines().at(-1), 'start the last 100')
    const starts = lines().filter((line) => line.startsWith('start'))
    // Two restarts are at least five seconds apart, however long the changes take here.
    expect(starts.length).toBeLessThanOrEqual(3 + Math.floor((Date.now() - changesBegan) / 5_000))
    expect(stderr()).toMatch(/keyferry: changed: (?:A|B|A, B|B, A); restarting the program\n/)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(lines().at(-1)).toBe('end')
  })

  // The rest is the client's part, which no database changes.
  if (kind === 'postgres') return

  test('a change while the server is down arrives after it is back', async () => {
    const { child, exit, lines } = watch(SERVICE)
    await until(() => lines().length, 1)
    server = await server.restart()
    await change('B', 'after the restart')
    await until(() => lines().at(-1)?.endsWith('after the restart'), true)
    child.kill('SIGINT')
    expect(await exit).toBe(130)
  })

  test('a delivery that the server has deleted is fetched again', async () => {
    const { child, exit, lines } = watch(SERVICE)
    await until(() => lines().length, 1)
    await until(async () => {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
      return (await answer.text()).includes('keyferry_held_calls 1\n')
    }, true)
    using database = new DatabaseSync(join(server.dataDir, 'keyferry.db'), { timeout: PATIENCE_MS })
    database.exec('delete from deliveries')
    server = await server.restart()
    await until(() => database.prepare('select count(*) as count from deliveries').get()?.['count'], 1)
    await change('B', 'after the deletion')
    await until(() => lines().at(-1)?.endsWith('after the deletion'), true)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  test('a program that ends by itself ends the client with its code', async () => {
    const { exit } = watch('exit 7')
    expect(await exit).toBe(7)
  })

  test('without new values the program keeps the old ones, and one line says why', async () => {
    const { child, exit, lines, stderr } = watch(SERVICE)
    await until(() => lines().length, 1)
    const place = `/machines/${machine.id}/bundles/${machine.bundleId}`
    await call('DELETE', place)
    await change('A', 'not for this machine')
    await until(() => stderr().includes('has no grant for this bundle'), true)
    await call('PUT', place, { scope: 'deliver' })
    await until(() => lines().at(-1)?.startsWith('start not for this machine'), true)
    expect(lines().filter((line) => line.startsWith('start'))).toHaveLength(2)
    expect(stderr().match(/the program keeps the values it has/g)).toHaveLength(1)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })
})
