import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { type Identity, oneDatabase, startTestApi, type TestApi, testSettings } from './api.ts'
import { proposed } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { fetchValues, grant, newBundle, newMachine } from './machine-client.ts'

const DAY_MS = 24 * 60 * 60_000

describe.each(oneDatabase)('a clock that was wrong, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let aheadMs = 0
  const startedMs = Date.now()
  beforeAll(async () => {
    api = await startTestApi(kind, {
      trustProxy: ['127.0.0.1'],
      now: () => new Date(Date.now() + aheadMs),
      upSeconds: () => (Date.now() - startedMs) / 1_000,
    })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
  })

  const onClockAhead = async <T>(work: () => Promise<T>): Promise<T> => {
    aheadMs = 10 * DAY_MS
    try {
      return await work()
    } finally {
      aheadMs = 0
    }
  }

  test('a token that began days ahead has ended', async () => {
    const bundle = await newBundle(api, owner, { A: '1' })
    const [ended, usual] = [await onClockAhead(() => newMachine(api, owner)), await newMachine(api, owner)]
    for (const machine of [ended, usual]) await grant(api, owner, { machine, bundle })
    const fetched = async ({ token }: { token: string }) =>
      (await fetchValues(api, { token, bundle_id: bundle.id })).answer.status
    expect([await fetched(ended), await fetched(usual)]).toEqual([401, 200])
  })

  test('an invitation that began days ahead has ended', async () => {
    const body = { email: `${randomUUID()}@example.com`, role: 'member' as const }
    const { json } = await onClockAhead(() => api.call('createInvitation', { as: owner, body }))
    const stranger = await api.newOwner()
    const preview = () => api.call('previewInvitation', { as: stranger, body: { token: json.token } })
    expect((await preview()).status).toBe(404)
    expect((await api.call('listInvitations', { as: owner })).json).toEqual([])
    const renewed = await api.call('createInvitation', { as: owner, body })
    expect((await api.call('listInvitations', { as: owner })).json).toMatchObject([{ id: renewed.json.id }])
  })

  test('a jump ahead of days deletes nothing because of its age, and /readyz warns', async () => {
    const member = await joinWorkspace(api, owner, 'member')
    const bundle = await newBundle(api, owner, { A: '1' })
    const { id } = await proposed(api, member, { bundle: bundle.name, values: { B: '2' } })
    const warnings = async () => (await api.call('getReadiness')).json.warnings.join()
    const stateOf = async () =>
      (await api.call('listProposals', { as: owner })).json.find((each) => each.id === id)?.state
    await onClockAhead(async () => {
      expect(await warnings()).toContain('the clock jumped 10 days ahead')
      await api.sweep()
    })
    expect(await warnings()).not.toContain('clock')
    expect(await stateOf()).toBe('open')
  })
})

const upSeconds = () => performance.now() / 1_000

test('a clock that is weeks ahead at the start deletes nothing, until the server starts again', async () => {
  const { dataDir, rootKeys } = testSettings({})
  const startAt = (aheadMs: number) =>
    startTestApi('sqlite', { dataDir, rootKeys, upSeconds, now: () => new Date(Date.now() + aheadMs) })
  const before = await startAt(0)
  const owner = await before.newOwner()
  const member = await joinWorkspace(before, owner, 'member')
  const bundle = await newBundle(before, owner, { A: '1' })
  const { id } = await proposed(before, member, { bundle: bundle.name, values: { B: '2' } })
  const rows = await openDatabase(join(dataDir, 'keyferry.db'))
  const checkpoints = () => rows.query.selectFrom('audit_seals').select('day').execute()
  await until('the log has an entry', async () => (await checkpoints()).length > 0)
  await rows.close()
  await before.close()
  const stateIn = async (api: TestApi) => {
    await api.sweep()
    const { json } = await api.call('listProposals', { as: owner })
    return json.find((each) => each.id === id)?.state
  }
  const wrong = await startAt(60 * DAY_MS)
  expect((await wrong.call('getReadiness')).json.warnings.join()).toContain('the clock jumped 60 days ahead')
  expect(await stateIn(wrong)).toBe('open')
  await wrong.close()
  const usual = await startAt(6 * DAY_MS)
  expect((await usual.call('getReadiness')).json.warnings.join()).not.toContain('the clock jumped')
  expect(await stateIn(usual)).toBe('open')
  await usual.close()
})
