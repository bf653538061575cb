import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshPostgres, hasPostgres } from '../../plumbing/test/postgres.ts'
import { PATIENCE_MS, until } from '../../plumbing/test/until.ts'
import { Program, startMeasured as startProgram, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let program: Program

beforeEach(() => {
  folder = temporaryFolder()
})

afterEach(async () => {
  await program.stop('SIGKILL')
  folder.remove()
})

async function startMeasured(settings: Record<string, string> = {}) {
  const started = await startProgram({ DATA_DIR: folder.path, ...settings })
  program = started.program
  return started
}

test('a separate address serves the metrics of both layers, by route and never by id', async () => {
  const { port, address } = await startMeasured()
  await fetch(`${address}/api/v1/bundles/an-id-that-stays-out`)
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  for (const part of ['web', 'api'])
    expect(text).toMatch(
      new RegExp(
        `keyferry_calls_total\\{part="${part}",method="GET",route="/api/v1/bundles/:bundle_id",status="404"\\} 1`,
      ),
    )
  // Each has a line that says in words what it is.
  expect(text.match(/^# HELP keyferry_(?!\w+ \S+ \S).*$/gm)).toBeNull()
  expect(text).toContain('keyferry_held_calls 0')
  expect(text).toContain('keyferry_audit_problems 0')
  for (const gauge of ['outbox_events', 'outbox_age_seconds', 'webhook_messages', 'request_store_seconds'])
    expect(text).toMatch(new RegExp(`^keyferry_${gauge} [0-9.e-]+$`, 'm'))
  expect(text).toMatch(/^keyferry_migrations [1-9]/m)
  expect(text).not.toContain('keyferry_database_connections')
  expect(text).toContain('process_resident_memory_bytes')
  // Dashboards compare what servers of several versions count by these bounds.
  const bounds =
    /^keyferry_call_seconds_bucket\{le="([^"]+)",part="api",route="\/api\/v1\/bundles\/:bundle_id"/gm
  const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 35]
  expect([...text.matchAll(bounds)].map(([, bound]) => bound)).toEqual([...seconds.map(String), '+Inf'])
  expect(text).not.toContain('an-id-that-stays-out')
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  expect((await fetch(`${address}/metrics`)).headers.get('content-type')).toContain('text/html')
  expect(await program.stop()).toEqual({ code: 0, signal: null })
})

test('the age of the newest keys is measured from when they were made', async () => {
  const { port } = await startMeasured()
  using database = new DatabaseSync(join(folder.path, 'keyferry.db'), { timeout: PATIENCE_MS })
  for (const kind of ['root', 'receipt', 'deposit'])
    database
      .prepare(`update ${kind}_keys set created_at = ?`)
      .run(new Date(Date.now() - 86_400_000).toISOString())
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  for (const kind of ['root', 'receipt', 'deposit'])
    expect(text).toMatch(new RegExp(`^keyferry_${kind}_key_age_seconds 864\\d\\d(\\.\\d+)?$`, 'm'))
})

test('a step in the background that fails is counted and named, until it works again', async () => {
  const { port, address } = await startMeasured()
  const isNamed = async () =>
    /failing in the background: webhooks/.test(await (await fetch(`${address}/readyz`)).text())
  const counted = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return /^keyferry_failing_steps (\d+)$/m.exec(text)?.[1]
  }
  expect([await isNamed(), await counted()]).toEqual([false, '0'])
  using database = new DatabaseSync(join(folder.path, 'keyferry.db'), { timeout: PATIENCE_MS })
  database.exec('alter table webhook_messages rename to webhook_messages_away')
  await until('the name', isNamed)
  expect(await counted()).toBe('1')
  expect((await fetch(`${address}/readyz`)).status).toBe(200)
  database.exec('alter table webhook_messages_away rename to webhook_messages')
  await until('no name', async () => !(await isNamed()))
  expect(await counted()).toBe('0')
})

test.runIf(hasPostgres())('connections to PostgreSQL are counted', async () => {
  const { port } = await startMeasured({
    DATABASE_URL: await freshPostgres(),
    ROOT_KEY: formatRootKey(generateRootKey()),
  })
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(text).toMatch(/^keyferry_database_connections [1-9]/m)
  expect(text).toMatch(/^keyferry_database_waiting \d/m)
  for (const gauge of ['outbox_events', 'outbox_age_seconds', 'webhook_messages', 'root_key_age_seconds'])
    expect(text).toMatch(new RegExp(`^keyferry_${gauge} [0-9.e-]+$`, 'm'))
})

test('nothing is served where no port is named', async () => {
  program = new Program({ DATA_DIR: folder.path })
  expect((await fetch(`${await program.ready()}/metrics`)).status).toBe(404)
})
