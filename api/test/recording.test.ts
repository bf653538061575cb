import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@keyferry/contract'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import type { Event } from '../src/domain/base/event.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { ask } from '../src/storage/base/pipeline.ts'
import type { Database, Queries, Query } from '../src/storage/base/queries.ts'
import { aroundWrites, recording } from '../src/storage/base/recording.ts'
import { StoredBytes } from '../src/storage/base/stored-bytes.ts'
import { databases } from './api.ts'

const AT = '2026-01-31T12:00:00.000Z'

const eventOf = (tenantId: string, name: string): Event => ({
  tenantId,
  action: 'key.created',
  at: AT,
  actor: { kind: 'user', id: 'somebody' },
  target: { kind: 'key', id: name, name },
  origin: null,
})
// Any row will do as a change.
const change = (transaction: Query, email_key: string) =>
  transaction
    .insertInto('login_attempts')
    .values({ email_key, failed: 1, locked_until: null, forgotten_at: AT })
    .execute()

describe.each(databases)('recording on %s', (kind) => {
  let database: Database
  let queries: Queries
  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'keyferry-recording-')), 'keyferry.db')
    database = await openDatabase(kind === 'postgres' ? await freshPostgres() : file)
    await migrateDatabase(database, AT)
    queries = recording(database, auditKeyOf(createAuditSeed()))
  })
  afterAll(() => database.close())

  const changes = async (email_key: string) => {
    const found = await database.query
      .selectFrom('login_attempts')
      .selectAll()
      .where('email_key', '=', email_key)
      .execute()
    return found.length
  }
  const namesOf = async (tenantId: string) => {
    const rows = await database.query
      .selectFrom('events')
      .select('body')
      .where('tenant_id', '=', tenantId)
      .orderBy('position')
      .execute()
    return rows.map(({ body }) => JSON.parse(body).target.name)
  }

  test('events of one change come in the order in which they were recorded', async () => {
    const tenantId = randomUUID()
    const names = Array.from({ length: 1_000 }, (_, index) => `"{N}_${index},\\`)
    await queries.write(async (transaction) => {
      for (const name of names) transaction.record(eventOf(tenantId, name))
    })
    expect(await namesOf(tenantId)).toEqual(names)
  })

  test('what fails leaves neither a change nor an event', async () => {
    const [tenantId, email] = [randomUUID(), randomUUID()]
    const failing = queries.write(async (transaction) => {
      await change(transaction, email)
      transaction.record(eventOf(tenantId, 'A'))
      throw new Error('something else failed')
    })
    await expect(failing).rejects.toThrow('something else failed')
    await queries.write((transaction) => change(transaction, randomUUID()))
    expect([await changes(email), await namesOf(tenantId)]).toEqual([0, []])
  })

  test('the log and those who wait for values learn whose change it was, and of no failure', async () => {
    const woken: ReadonlySet<string>[] = []
    const notified: ReadonlySet<string>[] = []
    const after = {
      wake: (ids: ReadonlySet<string>) => woken.push(ids),
      valuesChanged: (ids: ReadonlySet<string>) => notified.push(ids),
      isFull: (tenantId: string) => tenantId === 'full',
    }
    const { write } = recording(database, auditKeyOf(createAuditSeed()), after)
    const [one, other] = [randomUUID(), randomUUID()]
    const made = async (...events: Event[]) =>
      await write(async (transaction) => {
        for (const event of events) transaction.record(event)
      })
    await made(eventOf(one, 'A'))
    await made({ ...eventOf(other, 'B'), action: 'member.removed' })
    await made(eventOf(one, 'C'), { ...eventOf(other, 'D'), action: 'member.removed' })
    await made()
    const full = made(eventOf(one, 'E'), eventOf('full', 'F'))
    await expect(full).rejects.toThrow('audit log is unavailable')
    expect(notified).toEqual([new Set([one]), new Set([one])])
    expect(woken).toEqual([new Set([one]), new Set([other]), new Set([one, other])])
    expect(await namesOf(one)).toEqual(['A', 'C'])
  })

  test('a query after the end of its transaction fails', async () => {
    const over = await database.write(async (transaction) => ({ transaction }))
    await expect(change(over.transaction, randomUUID())).rejects.toThrow()
  })

  test('only what stays is counted among the stored bytes of a workspace', async () => {
    const tenantId = randomUUID()
    const bytes = 10 + LIMITS.storedRowBytes
    const bounds = { assurance: 'compat', bundleEntries: 1, versionsKept: 1, workspacesPerPerson: 1 } as const
    const stored = new StoredBytes(database, { ...bounds, tenantBytes: 2 * bytes })
    await stored.prepare(tenantId)
    const add = async (isUndone: boolean) =>
      await aroundWrites(
        async () => async () => {},
        async () => stored.add(tenantId, 10),
        ...(isUndone ? ([true] as const) : []),
      )
    for (const isUndone of [true, true, true, false, true, false]) await add(isUndone)
    await expect(add(false)).rejects.toMatchObject({ code: 'workspace_full' })
  })

  test('a change whose event cannot be written does not happen', async () => {
    const [tenantId, email] = [randomUUID(), randomUUID()]
    const attempt = () =>
      queries.write(async (transaction) => {
        await change(transaction, email)
        transaction.record(eventOf(tenantId, 'A'))
      })
    await sql`alter table events rename to events_elsewhere`.execute(database.query)
    await expect(attempt()).rejects.toThrow('audit log is unavailable')
    await sql`alter table events_elsewhere rename to events`.execute(database.query)
    expect(await changes(email)).toBe(0)
    await attempt()
    expect([await changes(email), await namesOf(tenantId)]).toEqual([1, ['A']])
  })
})

describe.runIf(databases.includes('postgres'))('statements on PostgreSQL', () => {
  test('statements of a transaction that are asked together do not wait for each other', async () => {
    const database = await openDatabase(await freshPostgres())
    const steps: string[] = []
    const answers = await database.write(async (transaction) => {
      const connection = await transaction.getExecutor().provideConnection(async (given) => given)
      const execute = connection.executeQuery.bind(connection)
      connection.executeQuery = async (query, options) => {
        steps.push('sent')
        const answer = await execute<never>(query, options)
        steps.push('answered')
        return answer
      }
      const each = ['a', 'b', 'c'].map((text) =>
        ask(transaction, transaction.selectNoFrom(sql.lit(text).as('is'))),
      )
      return Promise.all(each)
    })
    expect(answers.flat().map((row) => row.is)).toEqual(['a', 'b', 'c'])
    expect(steps.slice(0, 6)).toEqual(['sent', 'sent', 'sent', 'answered', 'answered', 'answered'])
    await database.close()
  })

  test('the first failure among them is the transaction’s, and undoes it', async () => {
    const database = await openDatabase(await freshPostgres())
    await migrateDatabase(database, AT)
    const email = randomUUID()
    const failing = database.write(async (transaction) => {
      await change(transaction, email)
      const broken = [sql<never>`select 1 / 0`, sql<never>`select 1`]
      await Promise.all(broken.map((text) => ask(transaction, transaction.selectNoFrom(text.as('is')))))
    })
    await expect(failing).rejects.toThrow()
    expect(await database.query.selectFrom('login_attempts').selectAll().execute()).toEqual([])
    await database.close()
  })

  test('plans made while a table was empty are made again once it has rows', async () => {
    const database = await openDatabase(await freshPostgres())
    await migrateDatabase(database, AT)
    await sql`alter table keys drop constraint keys_tenant_id_fkey`.execute(database.query)
    const [tenantId, id] = [randomUUID(), randomUUID()]
    const read = database.query
      .selectFrom('keys')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
    const readOften = async (times: number) => {
      for (let count = 0; count < times; count++) await read.execute()
    }
    await readOften(50)
    await database.insertAll(database.query, 'keys', keyRows(tenantId, 2_000))
    await readOften(1_000)
    const before = await entriesRead(database)
    await readOften(50)
    expect((await entriesRead(database)) - before).toBeLessThan(1_000)
    await database.close()
  })
})

function keyRows(tenant_id: string, count: number) {
  const made = { created_by: '', created_at: AT, updated_by: '', updated_at: AT, value_set_by: '' }
  const value = { value: Buffer.alloc(80), value_version: 1, value_set_at: AT, value_how: 'set' } as const
  const marks = { is_secret: 1, value_was_secret: 1, value_restored_from: null } as const
  const lifetime = { expires_at: null, rotate_after_days: null, rotate_at: null }
  return Array.from({ length: count }, (_, index) => ({
    ...made,
    ...value,
    ...marks,
    ...lifetime,
    tenant_id,
    id: randomUUID(),
    name: `KEY_${index}`,
    description: '',
  }))
}

/** How many entries of the indexes of keys were read so far. */
async function entriesRead({ query }: Database): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(query)
  const { rows } = await sql<{ read: number }>`
    select sum(idx_tup_read)::float8 as read from pg_stat_user_indexes where relname = 'keys'`.execute(query)
  return rows[0]?.read ?? 0
}
