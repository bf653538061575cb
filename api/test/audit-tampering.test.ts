import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHAIN_START, chainHash } from '@keyferry/crypto/audit-chain'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasPrograms } from '../../plumbing/test/programs.ts'
import { until } from '../../plumbing/test/until.ts'
import { verifyAudit } from '../src/main.ts'
import type { Database, Query } from '../src/storage/base/queries.ts'
import { type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'

const KEYS = 12

async function whenAppended(query: Query): Promise<void> {
  const waiting = () => query.selectFrom('events').select('position').execute()
  await until('the last entry', async () => (await waiting()).length === 0)
}

/** Hash a whole log again, as an attacker without the key could. */
async function chainAgain(query: Query, tenantId: string): Promise<void> {
  const rows = await query
    .selectFrom('audit_log')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('seq')
    .execute()
  let hash = CHAIN_START
  for (const { seq, body } of rows) {
    const changed = body.replace('"version":1', '"version":2')
    hash = chainHash(hash, changed)
    await query
      .updateTable('audit_log')
      .set({ body: changed, hash })
      .where('tenant_id', '=', tenantId)
      .where('seq', '=', seq)
      .execute()
  }
  await query.updateTable('audit_heads').set({ hash }).where('tenant_id', '=', tenantId).execute()
}

type Tampering = (query: Query, tenantId: string) => Promise<unknown>

const of = (tenantId: string, seq: number) => sql`where tenant_id = ${tenantId} and seq = ${seq}`

const TAMPERINGS: Readonly<Record<string, readonly [Tampering, RegExp]>> = {
  'a byte of an entry': [
    (query, id) =>
      sql`update audit_log set body = replace(body, 'KEY_5', 'KEY_6') where tenant_id = ${id}`.execute(query),
    /entry \d+ does not fit/,
  ],
  'a byte of a hash': [
    (query, id) => sql`update audit_log set hash = ${'0'.repeat(64)} ${of(id, 5)}`.execute(query),
    /entry 5 does not fit/,
  ],
  'a column': [
    (query, id) => sql`update audit_log set action = 'key.deleted' ${of(id, 4)}`.execute(query),
    /column of entry 4/,
  ],
  'an origin': [
    (query, id) => sql`update audit_log set origin = '{"ip":"192.0.2.9"}' ${of(id, 4)}`.execute(query),
    /origin of entry 4/,
  ],
  'a removed entry': [
    (query, id) => sql`delete from audit_log ${of(id, 7)}`.execute(query),
    /entry 7 is missing/,
  ],
  'two swapped entries': [
    async (query, id) => {
      await sql`update audit_log set seq = 99 ${of(id, 3)}`.execute(query)
      await sql`update audit_log set seq = 3 ${of(id, 4)}`.execute(query)
      await sql`update audit_log set seq = 4 ${of(id, 99)}`.execute(query)
    },
    /entry 3 carries another number/,
  ],
  'a cut tail': [
    (query, id) => sql`delete from audit_log where tenant_id = ${id} and seq > 9`.execute(query),
    /ends at entry 9, its head says/,
  ],
  'a cut tail and a lowered head': [
    async (query, id) => {
      await sql`delete from audit_log where tenant_id = ${id} and seq > 9`.execute(query)
      await sql`update audit_heads set seq = 9, hash = (select hash from audit_log ${of(id, 9)})
        where tenant_id = ${id}`.execute(query)
    },
    /no seal signs the last entry, 9/,
  ],
  'an added entry': [
    async (query, id) => {
      const last = await query
        .selectFrom('audit_log')
        .selectAll()
        .orderBy('seq', 'desc')
        .executeTakeFirstOrThrow()
      await query
        .insertInto('audit_log')
        .values({ ...last, tenant_id: id, seq: last.seq + 1 })
        .execute()
    },
    /carries another number/,
  ],
  'an entry added before the first': [
    (query, id) =>
      sql`insert into audit_log select tenant_id, 0, hash, replace(body, '"seq":5,', '"seq":0,'), origin, at, action,
        actor_id, target_id from audit_log ${of(id, 5)}`.execute(query),
    /entry 0 was added before the first entry, 1/,
  ],
  'a log that is gone': [
    async (query, id) => {
      for (const table of ['audit_log', 'audit_heads', 'audit_seals'])
        await sql`delete from ${sql.table(table)} where tenant_id = ${id}`.execute(query)
    },
    /the workspace has no log/,
  ],
  'a whole log hashed again': [chainAgain, /is not the one that the seal|differs/],
}

describe.each(oneDatabase)('tampering with the audit log on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let database: Database
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
    for (let number = 0; number < KEYS; number += 1)
      await api.call('createKey', { as: owner, body: { name: `KEY_${number}`, value: 'v' } })
    database = await openDatabaseOf(api)
    await whenAppended(database.query)
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })
  const tables = ['audit_log', 'audit_heads', 'audit_seals', 'events'] as const
  beforeEach(async () => {
    for (const table of tables)
      await sql.raw(`create table kept_${table} as select * from ${table}`).execute(database.query)
  })
  afterEach(async () => {
    for (const table of tables) {
      if (table !== 'events') {
        await sql.raw(`delete from ${table}`).execute(database.query)
        await sql.raw(`insert into ${table} select * from kept_${table}`).execute(database.query)
      } else await sql.raw('delete from events').execute(database.query)
      await sql.raw(`drop table kept_${table}`).execute(database.query)
    }
  })

  test('an untouched log is whole', async () => {
    const verdicts = await verifyAudit(api.settings)
    expect(verdicts).toContainEqual({
      tenantId: owner.tenantId,
      entries: expect.any(Number),
      erased: 0,
      problem: null,
    })
  })

  test.each(Object.entries(TAMPERINGS))('finds %s', async (_, [tamper, problem]) => {
    await tamper(database.query, owner.tenantId)
    const verdicts = await verifyAudit(api.settings)
    expect(verdicts.find(({ tenantId }) => tenantId === owner.tenantId)?.problem).toMatch(problem)
  })

  test('an erased origin is no error', async () => {
    const entry = sql`select max(seq) from audit_log where tenant_id = ${owner.tenantId} and origin is not null`
    await sql`update audit_log set origin = null
      where tenant_id = ${owner.tenantId} and seq = (${entry})`.execute(database.query)
    const verdicts = await verifyAudit(api.settings)
    expect(verdicts).toContainEqual(expect.objectContaining({ erased: 1, problem: null }))
  })

  test('an event that no server wrote is found and never appended', async () => {
    const event = await database.query.selectFrom('audit_log').selectAll().executeTakeFirstOrThrow()
    const body = event.body.replace(/^\{"seq":\d+,/, '{')
    const made = {
      tenant_id: owner.tenantId,
      body,
      origin: null,
      mac: Buffer.alloc(32),
      created_at: event.at,
    }
    await database.query.insertInto('events').values(made).execute()
    const verdicts = await verifyAudit(api.settings)
    expect(verdicts.find(({ tenantId }) => tenantId === owner.tenantId)?.problem).toMatch(
      /outbox was not written/,
    )
  })

  test.runIf(hasPrograms('python3'))(
    'the Python program of docs/audit.md agrees, and finds a changed line',
    async () => {
      const { text } = await api.call('exportAudit', { as: owner })
      const document = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8')
      const [, program = ''] = /```python\n([\s\S]*?)```/.exec(document) ?? []
      const folder = mkdtempSync(join(tmpdir(), 'keyferry-audit-'))
      const run = (content: string) => {
        writeFileSync(join(folder, 'log.jsonl'), content)
        return execFileSync('python3', ['-c', program, join(folder, 'log.jsonl')], {
          encoding: 'utf8',
          stdio: 'pipe',
        })
      }
      const { note } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')
      const [, , seq, hash] = note.split('\n')
      expect(run(text)).toBe(`${seq} ${hash}\n`)
      expect(() => run(text.replace('KEY_3', 'KEY_4'))).toThrow(/broken at/)
    },
  )
})
