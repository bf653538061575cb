import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { hasPgbouncer, startPgbouncer, type TestPooler } from '../../plumbing/test/pgbouncer.ts'
import { administer, freshPostgres, hasPostgres } from '../../plumbing/test/postgres.ts'
import { eventually, TIME_LIMIT_FACTOR } from '../../plumbing/test/until.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { MIGRATIONS } from '../src/storage/base/migrations.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { startTestApi, type TestApi, testSettings } from './api.ts'

const OTHER_CONNECTIONS = 'datname = current_database() and pid <> pg_backend_pid()'
const NAMES_OF_TENANTS = CompiledQuery.raw(
  `select name from pg_prepared_statements where statement like '%"tenants"%'`,
)

const READINGS_OF_CALLERS = CompiledQuery.raw(
  `select name from pg_prepared_statements where statement like '%from "users" left join "tenants"%'`,
)

const TIME_LIMIT = CompiledQuery.raw(
  `select current_setting('statement_timeout') as "limit" from pg_sleep(0.1)`,
)

const LIMIT = `${15 * Number(TIME_LIMIT_FACTOR)}s`

const { rootKeys } = testSettings()
let direct: string
beforeAll(async () => {
  direct = await freshPostgres()
  await administer(
    direct,
    `create table tenants as select 'T' as id, 'a tenant' as name, null::text as ruled, null::int as row_version,
       null::bytea as mac`,
  )
  await administer(direct, "create table keys as select 'K' as id, 'a key' as name")
})

/** A node as another process would be: it remembers nothing of the other node's statements. */
async function openNode(url: string): Promise<Database> {
  vi.resetModules()
  const limits = await import('@keyferry/plumbing/time-limits')
  limits.multiplyTimeLimits(Number(TIME_LIMIT_FACTOR))
  const { openPostgres } = await import('../src/storage/base/postgres.ts')
  return openPostgres(() => url, 12)
}

const rowOf = (node: Database, table: 'tenants' | 'keys', id: string) =>
  node.query.selectFrom(table).select(['id', 'name']).where('id', '=', id).executeTakeFirst()

describe.runIf(hasPostgres() && hasPgbouncer())('behind a pooler that shares connections', () => {
  let pooler: TestPooler
  beforeAll(async () => {
    pooler = await startPgbouncer(direct)
  })
  afterAll(() => pooler.stop())

  test('a node never runs the statement of another node', async () => {
    const [one, other] = [await openNode(pooler.url), await openNode(pooler.url)]
    expect(await rowOf(one, 'tenants', 'T')).toEqual({ id: 'T', name: 'a tenant' })
    // The pooler makes a new connection, on which only the other node has run a statement.
    await administer(
      direct,
      `select pg_terminate_backend(pid) from pg_stat_activity where ${OTHER_CONNECTIONS}`,
    )
    // A call that meets the ended connection before the pooler has seen its end may fail: its node tries again.
    await eventually(async () => expect(await rowOf(other, 'keys', 'K')).toEqual({ id: 'K', name: 'a key' }))
    expect(await rowOf(one, 'tenants', 'T')).toEqual({ id: 'T', name: 'a tenant' })
    await Promise.all([one.close(), other.close()])
  })

  test.each(['transaction', 'session'] as const)(
    '%s mode: nodes serve many calls at the same time, each with its own answer',
    async (mode) => {
      const database = await startPgbouncer(await freshPostgres(), mode)
      const settings = { databaseUrl: database.url, rootKeys }
      const nodes: TestApi[] = []
      for (let n = 0; n < 3; n++) nodes.push(await startTestApi('sqlite', settings))
      const answered = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const [api, next] = [nodes[n % 3], nodes[(n + 1) % 3]]
          const as = await api?.newOwner()
          const made = await api?.call('createKey', {
            as,
            body: { name: 'K', value: `${n}`, is_secret: false },
          })
          const read = await next?.call('getKey', { as, params: { key_id: made?.json.id ?? '' } })
          return read?.json.value
        }),
      )
      expect(answered).toEqual(Array.from({ length: 60 }, (_, n) => `${n}`))
      for (const node of nodes) {
        expect(node.log()).not.toContain('"level":"error"')
        await node.close()
      }
      await database.stop()
    },
  )

  test.each(['transaction', 'session'] as const)(
    '%s mode: a migration runs while other nodes write, and they keep their time limit',
    async (mode) => {
      const own = await freshPostgres()
      // The pooler may open another connection, where no node has set the limit. There the database's own counts.
      const [, name] = new URL(own).pathname.split('/')
      await administer(own, `alter database "${name}" set statement_timeout = '${LIMIT}'`)
      const database = await startPgbouncer(own, mode)
      const [node, other] = [await openNode(database.url), await openNode(database.url)]
      await migrateDatabase(node, '')
      const later = { name: '0002-later', statements: () => ['alter table keys add column later text'] }
      const migrated = migrateDatabase(node, '', [...MIGRATIONS, later])
      const over = new AbortController()
      const writing = (async () => {
        while (!over.signal.aborted) await other.query.updateTable('keys').set({ description: '' }).execute()
      })()
      expect(await migrated).toEqual(['0002-later'])
      over.abort()
      await writing
      const limits = await Promise.all([1, 2].map(() => other.query.executeQuery(TIME_LIMIT)))
      expect(limits.flatMap(({ rows }) => rows)).toEqual([{ limit: LIMIT }, { limit: LIMIT }])
      await Promise.all([node.close(), other.close()])
      await database.stop()
    },
  )
})

test.runIf(hasPostgres())('two nodes name a statement alike, whatever each ran before', async () => {
  const [one, other] = [await openNode(direct), await openNode(direct)]
  await rowOf(one, 'keys', 'K')
  const names = await Promise.all(
    [one, other].map(async (node) => {
      // The first statement of a connection can have no name yet.
      for (let n = 0; n < 2; n++) await rowOf(node, 'tenants', 'T')
      const { rows } = await node.query.executeQuery<{ name: string }>(NAMES_OF_TENANTS)
      return rows.map(({ name }) => name)
    }),
  )
  expect(names[0]).toEqual([expect.stringMatching(/^keyferry_[0-9a-f]{40}$/)])
  expect(names[1]).toEqual(names[0])
  await Promise.all([one.close(), other.close()])
})

test.runIf(hasPostgres())('the statement that reads who calls has a name', async () => {
  const opened: Database[] = []
  const aroundDatabase = (database: Database) => {
    opened.push(database)
    return database
  }
  const api = await startTestApi('postgres', { aroundDatabase })
  const as = await api.newOwner()
  // Each connection has names of its own, and which one answers varies.
  await eventually(async () => {
    await api.call('listKeys', { as })
    const named = await Promise.all(opened.map(({ query }) => query.executeQuery(READINGS_OF_CALLERS)))
    expect(named.flatMap(({ rows }) => rows)).not.toEqual([])
  })
  await api.close()
})
