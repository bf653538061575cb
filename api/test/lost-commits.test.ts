import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/storage/base/queries.ts'
import { databases, expectError, type Identity, openDatabaseOf, startTestApi, type TestApi } from './api.ts'

/*
 * A row that is written and then not there, as when a standby takes over that has not got the commit yet. A caller that
 * is told 404 takes what it wrote for deleted.
 */
const KEY = { name: 'URL', value: 'v' }
const BUNDLE = { name: 'dev/app' }
const MACHINE = { name: 'runner' }
const WEBHOOK = { url: 'https://hooks.example.com/x', events: ['key.changed'] as ['key.changed'] }

describe.each(databases)('a commit that %s loses before it is read again', (kind) => {
  let api: TestApi
  let owner: Identity
  let database: Database
  beforeAll(async () => {
    api = await startTestApi(kind)
    database = await openDatabaseOf(api)
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const tables = ['keys', 'bundles', 'machines', 'webhooks'] as const
  const dropped = (table: string) =>
    kind === 'sqlite' ? 'drop trigger if exists lost' : `drop trigger if exists lost on ${table}`
  afterEach(async () => {
    for (const table of tables) await sql.raw(dropped(table)).execute(database.query)
  })

  /** Rows of a table are gone once they are written in this way. */
  async function lose(
    table: (typeof tables)[number],
    written: 'insert' | `update of ${string}`,
  ): Promise<void> {
    const gone = `delete from ${table} where id = new.id`
    const begin = `create trigger lost after ${written} on ${table}`
    const made = `create or replace function lost_${table}() returns trigger language plpgsql as $$ begin ${gone}; return null; end $$`
    if (kind === 'postgres') await sql.raw(made).execute(database.query)
    const trigger =
      kind === 'sqlite'
        ? `${begin} begin ${gone}; end`
        : `${begin} for each row execute function lost_${table}()`
    await sql.raw(trigger).execute(database.query)
  }

  test.each([
    ['bundles', () => api.call('createBundle', { as: owner, body: BUNDLE })],
    ['machines', () => api.call('createMachine', { as: owner, body: MACHINE })],
    ['webhooks', () => api.call('createWebhook', { as: owner, body: WEBHOOK })],
  ] as const)('what was created in %s: 503, never 404', async (table, create) => {
    owner = await api.newOwner()
    await lose(table, 'insert')
    expectError(await create(), 503, 'database is unavailable', 'unavailable')
  })

  test.each([
    [
      'keys',
      'description',
      async () => {
        const { json } = await api.call('createKey', { as: owner, body: KEY })
        return (description: string) =>
          api.call('updateKey', { as: owner, params: { key_id: json.id }, body: { description } })
      },
    ],
    [
      'bundles',
      'name',
      async () => {
        const { json } = await api.call('createBundle', { as: owner, body: BUNDLE })
        return (name: string) =>
          api.call('updateBundle', { as: owner, params: { bundle_id: json.id }, body: { name } })
      },
    ],
    [
      'machines',
      'name',
      async () => {
        const { json } = await api.call('createMachine', { as: owner, body: MACHINE })
        return (name: string) =>
          api.call('updateMachine', { as: owner, params: { machine_id: json.id }, body: { name } })
      },
    ],
    [
      'webhooks',
      'url',
      async () => {
        const { json } = await api.call('createWebhook', { as: owner, body: WEBHOOK })
        const params = { webhook_id: json.id }
        return (path: string) =>
          api.call('updateWebhook', { as: owner, params, body: { url: `${WEBHOOK.url}/${path}` } })
      },
    ],
  ] as const)('what was changed in %s: 503, never 404', async (table, column, create) => {
    owner = await api.newOwner()
    const change = await create()
    expect((await change('one')).status).toBe(200)
    await lose(table, `update of ${column}`)
    expectError(await change('two'), 503, 'database is unavailable', 'unavailable')
    expect((await change('three')).status).toBe(404)
  })
})
