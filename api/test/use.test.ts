import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { fetchValues, grant, newBundle, newMachine, type TestBundle } from './machine-client.ts'
import { ReturningClient } from './returning-client.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-01-31T23:59:00.000Z')

describe.each(oneDatabase)('use of bundles and what needs a look, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let now = START
  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => new Date(now), trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
  })
  afterAll(() => api.close())

  const useOf = async (id: string, query: Record<string, string> = {}, as = member) => {
    const { json } = await api.call('listUse', { as, query })
    return json.find((use) => use.id === id)
  }
  async function approved(bundle: TestBundle) {
    const client = new ReturningClient(api)
    const requestId = await client.asked({ meta: { hostname: 'laptop', user: 'sam' } })
    const approval = await approveWith(api, owner, {
      requestId,
      bundle_id: bundle.id,
      include_keys: Object.keys(bundle.values),
    })
    expect(approval.status).toBe(200)
    return { client, requestId }
  }
  async function deliver(bundle: TestBundle): Promise<void> {
    const { client, requestId } = await approved(bundle)
    client.opened(await client.wait(requestId))
  }
  async function machineFor(bundle: TestBundle) {
    const machine = await newMachine(api, owner, { expires_in_days: 365 })
    await grant(api, owner, { machine, bundle })
    const fetch = async () =>
      expect((await fetchValues(api, { token: machine.token, bundle_id: bundle.id })).answer.status).toBe(200)
    return { machine, fetch }
  }

  test('a fetch counts for its bundle and its machine on the day in UTC, and an approval counts when it is collected', async () => {
    now = START
    const bundle = await newBundle(api, owner, { A: 'a' })
    const { machine, fetch } = await machineFor(bundle)
    await approved(bundle)
    await fetch()
    now += 60_000
    await fetch()
    await deliver(bundle)
    const last_at = new Date(now).toISOString()
    await expect.poll(() => useOf(bundle.id, { days: '2' })).toEqual({ id: bundle.id, days: [1, 2], last_at })
    expect(await useOf(machine.id, { by: 'machine', days: '2' })).toEqual({
      id: machine.id,
      days: [1, 1],
      last_at,
    })
    expect((await useOf(bundle.id))?.days).toEqual([...Array(28).fill(0), 1, 2])
    expect(await useOf(bundle.id, {}, await api.newOwner())).toBeUndefined()
  })

  test('concurrent fetches are all counted', async () => {
    const bundle = await newBundle(api, owner, { B: 'b' })
    const machines = await Promise.all([machineFor(bundle), machineFor(bundle)])
    await Promise.all([...machines, ...machines, ...machines].map(({ fetch }) => fetch()))
    expect(await useOf(bundle.id, { days: '1' })).toMatchObject({ days: [6] })
  })

  test('after 30 days a day leaves the count, the last fetch stays, and a new day takes the place of the old one', async () => {
    now = START
    const bundle = await newBundle(api, owner, { C: 'c' })
    const { fetch } = await machineFor(bundle)
    await fetch()
    const last_at = new Date(now).toISOString()
    now += 30 * DAY_MS
    expect(await useOf(bundle.id)).toEqual({ id: bundle.id, days: Array(30).fill(0), last_at })
    await fetch()
    expect(await useOf(bundle.id)).toMatchObject({ days: [...Array(29).fill(0), 1] })
  })

  test('a machine that is gone still counts for its bundle, and a bundle that is gone counts nowhere', async () => {
    const bundle = await newBundle(api, owner, { D: 'd' })
    const { machine, fetch } = await machineFor(bundle)
    await fetch()
    await api.call('deleteMachine', { as: owner, params: { machine_id: machine.id } })
    expect(await useOf(bundle.id, { days: '1' })).toMatchObject({ days: [1] })
    expect(await useOf(machine.id, { by: 'machine' })).toBeUndefined()
    await api.call('deleteBundle', { as: owner, params: { bundle_id: bundle.id } })
    expect(await useOf(bundle.id)).toBeUndefined()
  })

  test.each([
    [{ days: '0' }, 'days must be a whole number from 1 to 30'],
    [{ days: '31' }, 'days must be a whole number from 1 to 30'],
    [{ by: 'person' }, 'by must be bundle or machine'],
  ])('%j is refused', async (query, message) => {
    expectError(await api.call('listUse', { as: member, query }), 400, message)
  })

  test('a bundle has marks for expired, due and older values if one asks for them, and only for a person', async () => {
    now = START
    const bundle = await newBundle(api, owner, { E: 'e', F: 'f', G: 'g', H: 'h' })
    const { machine, fetch } = await machineFor(bundle)
    const change = (name: string, body: object) =>
      api.call('updateKey', { as: owner, params: { key_id: bundle.keyIds[name] ?? '' }, body })
    const inDays = (days: number) => new Date(now + days * DAY_MS).toISOString()
    const marks = async (query: Record<string, string>) => {
      const { json } = await api.call('listBundles', { as: member, query: { query: bundle.name, ...query } })
      return json.map((listed) => listed.marks)
    }
    expect(await marks({ facts: '1' })).toEqual([{ expired: 0, due: 0, older: 0 }])
    await fetch()
    await change('E', { expires_at: inDays(-1), rotate_after_days: 1 })
    await change('F', { expires_at: inDays(3) })
    await change('G', { rotate_after_days: 1 })
    await change('H', { value: 'new', expires_at: inDays(90) })
    now += 2 * DAY_MS
    expect(await marks({ facts: '1' })).toEqual([{ expired: 1, due: 2, older: 1 }])
    expect(await marks({})).toEqual([undefined])
    const headers = { authorization: `Bearer ${machine.token}` }
    const { json } = await api.call('listBundles', { headers, query: { facts: '1' } })
    expect(json).toMatchObject([{ id: bundle.id }])
    expect(json[0]).not.toHaveProperty('marks')
  })
})
