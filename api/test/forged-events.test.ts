import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { verifyAudit } from '../src/main.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'

// More than three appends take.
const FORGED = 1_600

describe.each(oneDatabase)('rows of the outbox that no server wrote, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let database: Database
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
    database = await openDatabaseOf(api)
    await database.insertAll(database.query, 'events', Array.from({ length: FORGED }, forged))
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })
  const forged = () => ({
    tenant_id: owner.tenantId,
    body: '{}',
    origin: null,
    mac: Buffer.alloc(32),
    created_at: new Date().toISOString(),
  })
  const problem = async () => {
    const verdicts = await verifyAudit(api.settings)
    return verdicts.find(({ tenantId }) => tenantId === owner.tenantId)?.problem
  }

  test('keep no honest event out of the log, and are not in it', async () => {
    await api.call('createKey', { as: owner, body: { name: 'HONEST', value: 'x' } })
    await until('the entries', async () => {
      const [newest] = (await api.call('listAudit', { as: owner })).json
      if (!newest?.sealed) expect(newest).toMatchObject({ action: 'key.created' })
      return newest?.sealed
    })
    const { json } = await api.call('listAudit', { as: owner, query: { limit: '1000' } })
    expect(json[0]).toMatchObject({ target: { name: 'HONEST' } })
    expect(json.every(({ action }) => action !== undefined)).toBe(true)
    expect(json.length).toBeLessThan(10)
  })

  test('are named by audit-verify and by /readyz', async () => {
    expect(await problem()).toMatch(
      new RegExp(`event \\d+ of the outbox was not written by a server \\(${FORGED - 1} more`),
    )
    const ready = await fetch(`${api.address}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ok', failing: [], warnings: ['forged audit events'] },
    ])
  })

  test('a single forged row is set aside too; a row that the append does not read is not', async () => {
    await database.query.deleteFrom('events').execute()
    const unread = { ...forged(), tenant_id: 'nobody' }
    onTestFinished(async () => {
      await database.query.deleteFrom('events').execute()
    })
    await database.insertAll(database.query, 'events', [forged(), unread])
    await api.call('createKey', { as: owner, body: { name: 'BESIDE_ONE', value: 'x' } })
    const refused = () =>
      database.query.selectFrom('events').select(['tenant_id', 'refused_at']).orderBy('position').execute()
    await expect.poll(refused).toEqual([
      { tenant_id: owner.tenantId, refused_at: expect.any(String) },
      { tenant_id: 'nobody', refused_at: null },
    ])
  })

  test('an honest row that is marked as one of them is named too', async () => {
    await database.query.deleteFrom('events').execute()
    let marked = 0n
    for (let count = 0; marked === 0n; count++) {
      await api.call('createKey', { as: owner, body: { name: `MARKED_${count}`, value: 'x' } })
      const mark = database.query.updateTable('events').set({ refused_at: 'now' })
      marked = (await mark.executeTakeFirstOrThrow()).numUpdatedRows
    }
    expect(await problem()).toMatch(/event \d+ of the outbox was set aside, but a server wrote it/)
  })

  test('an honest row that is added again is named once it is appended', async () => {
    const other = await api.newOwner()
    const waiting = () =>
      database.query.selectFrom('events').selectAll().where('tenant_id', '=', other.tenantId).execute()
    const whenAppended = () => until('the last entry', async () => (await waiting()).length === 0)
    let event: Awaited<ReturnType<typeof waiting>>[number] | undefined
    for (let count = 0; event === undefined; count++) {
      await api.call('createKey', { as: other, body: { name: `REPEATED_${count}`, value: 'x' } })
      event = (await waiting()).at(-1)
    }
    await whenAppended()
    const { position: _, ...again } = event
    await database.query.insertInto('events').values(again).execute()
    // Another change wakes the server that appends.
    await api.call('createKey', { as: other, body: { name: 'LATER', value: 'x' } })
    await whenAppended()
    const verdicts = await verifyAudit(api.settings)
    const verdict = verdicts.find(({ tenantId }) => tenantId === other.tenantId)
    expect(verdict?.problem).toMatch(/entry \d+ repeats an earlier entry/)
  })

  test('an entry that is in the way of one workspace keeps no event of another out of its log', async () => {
    const [blocked, other] = [await api.newOwner(), await api.newOwner()]
    const newestOf = async (as: Identity) => (await api.call('listAudit', { as })).json[0]
    await expect.poll(() => newestOf(blocked)).toMatchObject({ sealed: true })
    const { seq, hash } = await database.query
      .selectFrom('audit_heads')
      .select(['seq', 'hash'])
      .where('tenant_id', '=', blocked.tenantId)
      .executeTakeFirstOrThrow()
    const row = { tenant_id: blocked.tenantId, seq: seq + 1, hash, body: '{}', origin: null }
    const index = { at: 'now', action: 'key.created', actor_id: null, target_id: 'x' }
    await database.query
      .insertInto('audit_log')
      .values({ ...row, ...index })
      .execute()
    const made = [blocked, other].map((as) => api.call('createKey', { as, body: { name: 'A', value: 'x' } }))
    await Promise.all(made)
    await expect.poll(() => newestOf(other)).toMatchObject({ sealed: true, action: 'key.created' })
    const waitingEvents = database.query
      .selectFrom('events')
      .select('body')
      .where('tenant_id', '=', blocked.tenantId)
    expect(await waitingEvents.execute()).toHaveLength(1)
    await database.query.deleteFrom('audit_log').where('target_id', '=', 'x').execute()
    await expect.poll(() => newestOf(blocked)).toMatchObject({ sealed: true, action: 'key.created' })
  })
})
