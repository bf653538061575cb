import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { Receiver } from './webhook-receiver.ts'

const EACH = 10
/** More than the pauses after the first failures: a busy machine may call twice before the receiver's answer
 * changes. */
const RETRY_MS = 3_600_000

/*
 * Receivers that never answer take their place until the call is given up. Others get their messages while all of these
 * calls still wait.
 */
describe.each(oneDatabase)('receivers that do not answer, on %s', (kind) => {
  let api: TestApi
  let silent: Receiver
  let receiver: Receiver
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  beforeAll(async () => {
    api = await startTestApi(kind, { privateTargets: ['127.0.0.1/32'], now })
  })
  beforeEach(async () => {
    ;[silent, receiver] = [new Receiver(), new Receiver()]
    silent.answer = () => {}
    await Promise.all([silent.start(), receiver.start()])
  })
  afterEach(() => {
    for (const each of [silent, receiver]) each.stop()
  })
  afterAll(() => api.close())

  const inDatabase = async <T>(work: (database: Database) => Promise<T>) => {
    await using opened = new AsyncDisposableStack()
    const place = api.settings.databaseUrl ?? join(api.settings.dataDir, 'keyferry.db')
    return await work(opened.adopt(await openDatabase(place), (database) => database.close()))
  }
  const tested = async (as: Identity, url: string) => {
    const { json } = await api.call('createWebhook', { as, body: { url, events: ['webhook.disabled'] } })
    return async () => {
      const { status } = await api.call('testWebhook', { as, params: { webhook_id: json.id } })
      expect(status).toBe(202)
    }
  }
  const silentOnes = async (owners: readonly Identity[]) => {
    const tests = []
    for (const owner of owners)
      for (let count = 0; count < EACH; count += 1) tests.push(await tested(owner, silent.url))
    return tests
  }
  const workspacesOf = async (person: Identity, count: number) => {
    const made = []
    for (let index = 0; index < count; index += 1) {
      const { json } = await api.call('createTenant', { as: person, body: { name: `w${index}` } })
      made.push({ ...person, tenantId: json.id })
    }
    return made
  }
  const gets = async (owner: Identity) => {
    const begin = await tested(owner, receiver.url)
    await begin()
    await expect.poll(() => receiver.received.length).toBe(1)
  }

  // First, because later tests leave many calls that this one would wait for.
  test('count as slow after a call that failed, and no longer after one that did not', async () => {
    const owner = await api.newOwner()
    const isSlow = () =>
      inDatabase(async ({ query }) => {
        const rows = query.selectFrom('webhooks').select('is_slow').where('tenant_id', '=', owner.tenantId)
        return (await rows.executeTakeFirstOrThrow()).is_slow
      })
    receiver.answer = (response) => response.writeHead(500).end()
    await gets(owner)
    await expect.poll(isSlow).toBe(1)
    receiver.answer = (response) => response.writeHead(204).end()
    aheadMs = RETRY_MS
    await expect.poll(isSlow).toBe(0)
    aheadMs = 0
  })

  test('of many workspaces of one person leave room for others', async () => {
    const person = await api.newOwner()
    const tests = await silentOnes(await workspacesOf(person, 12))
    const other = await api.newOwner()
    await Promise.all(tests.map((begin) => begin()))
    await expect.poll(() => silent.received.length).toBeGreaterThanOrEqual(20)
    await gets(other)
    expect(silent.received).toHaveLength(20)
  })

  test('of many people leave room for others, once they are known to be slow', async () => {
    const people = await Promise.all(Array.from({ length: 11 }, () => api.newOwner()))
    const tests = await silentOnes(people)
    await inDatabase(({ query }) => query.updateTable('webhooks').set({ is_slow: 1 }).execute())
    const other = await api.newOwner()
    await Promise.all(tests.map((begin) => begin()))
    await expect.poll(() => silent.received.length).toBeGreaterThanOrEqual(30)
    await gets(other)
    expect(silent.received.length).toBeLessThanOrEqual(50)
  })
})
