import { LIMITS } from '@keyferry/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { ownRedis } from '../../plumbing/test/redis-server.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi, testSettings } from './api.ts'
import {
  fetchValues,
  grant,
  newBundle,
  newMachine,
  type TestBundle,
  type TestMachine,
} from './machine-client.ts'

type Api = Pick<TestApi, 'call'>
type Watched = { machine: TestMachine; bundle: TestBundle; deliveryId: string }

let bundles = 0

/** A machine that got the values of its own bundle. */
async function watched(api: Api, owner: Identity, wish: object = {}): Promise<Watched> {
  bundles += 1
  const machine = await newMachine(api, owner)
  const bundle = await newBundle(api, owner, { [`URL_${bundles}`]: 'first', [`PORT_${bundles}`]: 'x' })
  await grant(api, owner, { machine, bundle })
  const { answer } = await fetchValues(api, { token: machine.token, bundle_id: bundle.id, ...wish })
  return { machine, bundle, deliveryId: answer.json.delivery_id }
}

const waitFor = (api: Api, deliveryId: string, { token }: { token: string }) =>
  api.call('waitForChange', {
    params: { delivery_id: deliveryId },
    headers: { authorization: `Bearer ${token}` },
  })

/** A call that waits by now. */
async function waitOf(api: TestApi, { deliveryId, machine }: Watched) {
  const before = api.waitingCalls()
  const answer = waitFor(api, deliveryId, machine)
  await api.untilWaiting(before + 1)
  return { answer: async () => (await answer).json.changed }
}

const idOf = ({ bundle }: Watched, at: 0 | 1) => Object.values(bundle.keyIds).toSorted()[at] ?? ''
const params = (it: Watched, at: 0 | 1 = 0) => ({ bundle_id: it.bundle.id, key_id: idOf(it, at) })
const change = (api: Api, as: Identity, it: Watched, value: string) =>
  api.call('updateKey', { as, params: params(it), body: { value } })

describe.each(oneDatabase)('waiting for changed values on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  test('a change before the wait ends it at once', async () => {
    const it = await watched(api, owner)
    await change(api, owner, it, 'second')
    expect((await waitFor(api, it.deliveryId, it.machine)).json).toEqual({
      delivery_id: it.deliveryId,
      changed: true,
    })
  })

  test.each<[string, (it: Watched) => Promise<unknown>]>([
    ['a new value', (it) => change(api, owner, it, 'second')],
    ['a detached key', (it) => api.call('detachKey', { as: owner, params: params(it) })],
    ['a deleted key', (it) => api.call('deleteKey', { as: owner, params: params(it) })],
    [
      'another delivered name',
      (it) =>
        api.call('changeAttachment', { as: owner, params: params(it), body: { as: `OTHER_${bundles}` } }),
    ],
    ['a deleted bundle', (it) => api.call('deleteBundle', { as: owner, params: params(it) })],
  ])('%s ends the wait', async (_, act) => {
    const it = await watched(api, owner)
    const wait = await waitOf(api, it)
    await act(it)
    expect(await wait.answer()).toBe(true)
  })

  test('a change of a part ends the wait of a composed value', async () => {
    bundles += 1
    const [part, whole] = [`PART_${bundles}`, `WHOLE_${bundles}`]
    const machine = await newMachine(api, owner)
    const bundle = await newBundle(api, owner, { [part]: 'a' })
    const body = { name: whole, value: `is \${${part}}`, is_template: true }
    const key_id = (await api.call('createKey', { as: owner, body })).json.id
    await api.call('attachKey', { as: owner, params: { bundle_id: bundle.id, key_id } })
    await grant(api, owner, { machine, bundle })
    const wish = { token: machine.token, bundle_id: bundle.id, include_keys: [whole] }
    const { answer, values } = await fetchValues(api, wish)
    expect(values).toEqual({ [whole]: 'is a' })
    const it = { machine, bundle, deliveryId: answer.json.delivery_id }
    const wait = await waitOf(api, it)
    await change(api, owner, it, 'b')
    expect(await wait.answer()).toBe(true)
  })

  test('what was not delivered does not count, nor do a description and a value that stays', async () => {
    const it = await watched(api, owner)
    const only = await fetchValues(api, {
      token: it.machine.token,
      bundle_id: it.bundle.id,
      include_keys: Object.entries(it.bundle.keyIds).flatMap(([name, id]) =>
        id === idOf(it, 1) ? [name] : [],
      ),
    })
    const wait = await waitOf(api, { ...it, deliveryId: only.answer.json.delivery_id })
    const ofBoth = await waitOf(api, it)
    const one = { as: owner, params: params(it, 1) }
    await api.call('updateKey', { ...one, body: { description: 'new' } })
    await api.call('updateKey', { ...one, body: { value: only.values?.[Object.keys(only.values)[0] ?? ''] } })
    await change(api, owner, it, 'of another key')
    expect(await ofBoth.answer()).toBe(true)
    expect(api.waitingCalls()).toBe(1)
    await api.call('updateKey', { ...one, body: { value: 'changed at last' } })
    expect(await wait.answer()).toBe(true)
  })

  test('of two bundles with the same keys, each tells only of its own', async () => {
    const [one, other] = [await watched(api, owner), await watched(api, owner)]
    const keyIds = Object.values(one.bundle.keyIds)
    for (const key_id of Object.values(other.bundle.keyIds))
      await api.call('detachKey', { as: owner, params: { bundle_id: other.bundle.id, key_id } })
    for (const key_id of keyIds)
      await api.call('attachKey', { as: owner, params: { bundle_id: other.bundle.id, key_id } })
    const { token } = other.machine
    const again = await fetchValues(api, { token, bundle_id: other.bundle.id })
    const [waitOfOne, waitOfOther] = [
      await waitOf(api, one),
      await waitOf(api, { ...other, deliveryId: again.answer.json.delivery_id }),
    ]
    const detach = ({ bundle }: Watched) =>
      api.call('detachKey', { as: owner, params: { bundle_id: bundle.id, key_id: keyIds[0] ?? '' } })
    await detach(other)
    expect(await waitOfOther.answer()).toBe(true)
    expect(api.waitingCalls()).toBe(1)
    await detach(one)
    expect(await waitOfOne.answer()).toBe(true)
  })

  test("a machine watches its own deliveries; another's, and a person's, are not found", async () => {
    const [one, other] = [await watched(api, owner), await watched(api, owner)]
    const answer = await waitFor(api, one.deliveryId, other.machine)
    expectError(answer, 404, 'Delivery not found', 'not_found')
    expectError(await waitFor(api, 'no-such-delivery', one.machine), 404, 'Delivery not found')
  })

  test('a machine whose token ended learns nothing', async () => {
    const it = await watched(api, owner)
    await api.call('endMachineToken', {
      as: owner,
      params: { machine_id: it.machine.id, token_id: it.machine.tokenId },
    })
    expect((await waitFor(api, it.deliveryId, it.machine)).failure?.code).toBe('token_ended')
  })

  test('one machine has a bounded number of waits, and each that ends makes room', async () => {
    const it = await watched(api, owner)
    const begin = () => waitFor(api, it.deliveryId, it.machine)
    const waits = Array.from({ length: LIMITS.openWatches + 1 }, begin)
    const refused = await Promise.race(waits)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
    await change(api, owner, it, 'second')
    const notified = (await Promise.all(waits)).filter(({ status }) => status === 200)
    expect(notified).toHaveLength(LIMITS.openWatches)
    expect(notified.every(({ json }) => json.changed)).toBe(true)
    expect((await waitFor(api, it.deliveryId, it.machine)).status).toBe(200)
  })

  test('a stopping server ends its waits; the next server reports the changes in between', async () => {
    const databaseUrl = kind === 'postgres' ? await freshPostgres() : null
    const first = await startTestApi('sqlite', { databaseUrl, stopSeconds: 300 })
    const as = await first.newOwner()
    const it = await watched(first, as)
    const wait = await waitOf(first, it)
    const closing = first.close()
    expect(await wait.answer()).toBe(false)
    await closing
    const next = await startTestApi('sqlite', first.settings)
    await change(next, as, it, 'second')
    expect((await waitFor(next, it.deliveryId, it.machine)).json.changed).toBe(true)
    await next.close()
  })
})

const databaseUrl = await freshPostgres()
const redis = await ownRedis()
afterAll(() => redis?.stop())

describe.runIf(databaseUrl && redis)('two nodes on one PostgreSQL and one Redis', () => {
  test('a change on one node ends the wait on the other', async () => {
    const { rootKeys } = testSettings()
    const shared = { databaseUrl, redisUrl: redis?.url ?? null, rootKeys }
    const one = await startTestApi('sqlite', shared)
    const other = await startTestApi('sqlite', shared)
    const owner = await one.newOwner()
    const it = await watched(one, owner)
    const wait = await waitOf(one, it)
    await change(other, owner, it, 'second')
    expect(await wait.answer()).toBe(true)
    await Promise.all([one.close(), other.close()])
  })
})
