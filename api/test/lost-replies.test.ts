import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { Faults, faulty } from './faulty-requests.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

const UNAVAILABLE = 'request store is unavailable'
const POLL_MS = 3_000

let skippedMs = 0
const now = () => new Date(Date.now() + skippedMs)

/*
 * The request store fails at one step of a delivery, before the change or after it. The call answers 503, and never
 * that the request does not exist. Tried again, everything is delivered, and nothing twice.
 */
describe.each(oneDatabase)('a request store that fails, on %s', (kind) => {
  const faults = new Faults()
  let api: TestApi
  let owner: Identity
  let choice: { bundle_id: string; include_keys: string[] }
  beforeAll(async () => {
    api = await startTestApi(kind, {
      trustProxy: ['127.0.0.1'],
      now,
      aroundRequests: faulty(faults),
    })
    owner = await api.newOwner()
    const bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
    choice = { bundle_id: bundle.id, include_keys: ['URL'] }
  })
  afterAll(() => api.close())

  const asked = async () => {
    const client = new ReturningClient(api)
    return { client, requestId: await client.request() }
  }
  const approve = (requestId: string, release?: string) =>
    approveWith(api, owner, { requestId, ...choice, ...(release ? { release } : {}) })
  const collects = ({ client, requestId }: Awaited<ReturnType<typeof asked>>) => {
    skippedMs += POLL_MS
    return client.waits(requestId)
  }
  const deniedBy = (requestId: string) =>
    api.call('denyRequest', { as: owner, params: { request_id: requestId } })
  const collected = async ({ json }: Awaited<ReturnType<typeof collects>>) => {
    const state = async () => {
      const deliveries = await api.call('listDeliveries', { as: owner })
      const id = 'delivery_id' in json ? json.delivery_id : ''
      return deliveries.json.find((delivery) => delivery.id === id)?.state
    }
    await expect.poll(state).toBe('collected')
  }
  const failsOnce = async (
    when: 'before' | 'after',
    call: () => Promise<Awaited<ReturnType<TestApi['call']>>>,
  ) => {
    faults.next(when)
    expectError(await call(), 503, UNAVAILABLE, 'unavailable')
  }

  test('a request that could not be kept is asked for again', async () => {
    for (const when of ['before', 'after'] as const) {
      await failsOnce(when, () => new ReturningClient(api).ask())
    }
  })

  test.each([
    ['before', 200],
    ['after', 409],
  ] as const)('an approval that fails %s the change; the next one answers %i', async (when, status) => {
    const asking = await asked()
    await failsOnce(when, () => approve(asking.requestId))
    expect((await approve(asking.requestId)).status).toBe(status)
    const ready = await collects(asking)
    expect(asking.client.opened(ready)).toEqual({ URL: 'pg://s3cret' })
    expectError(await collects(asking), 404, 'request not found or expired')
  })

  test.each([
    ['before', 200],
    ['after', 409],
  ] as const)('a return that fails %s the change; the next one answers %i', async (when, status) => {
    const asking = await asked()
    const secret = secretOf((await approve(asking.requestId, 'code')).json)
    await failsOnce(when, () => asking.client.release(asking.requestId, secret))
    expect((await asking.client.release(asking.requestId, secret)).status).toBe(status)
    expect(asking.client.opened(await collects(asking))).toEqual({ URL: 'pg://s3cret' })
  })

  test('a claim that fails before the change is made again', async () => {
    const asking = await asked()
    await approve(asking.requestId)
    await failsOnce('before', () => collects(asking))
    const ready = await collects(asking)
    expect(asking.client.opened(ready)).toEqual({ URL: 'pg://s3cret' })
    await collected(ready)
  })

  test('a claim whose reply is lost gives nothing a second time', async () => {
    const asking = await asked()
    await approve(asking.requestId)
    await failsOnce('after', () => collects(asking))
    skippedMs += POLL_MS
    const again = asking.client.waits(asking.requestId)
    expect((await deniedBy(asking.requestId)).status).toBe(409)
    const withdrawn = { params: { request_id: asking.requestId }, headers: asking.client.proof() }
    expect((await api.call('withdrawRequest', withdrawn)).status).toBe(200)
    expectError(await again, 404, 'request not found or expired', 'request_withdrawn')
  })

  test('what was handed over is removed although the store fails for a moment', async () => {
    const asking = await asked()
    await approve(asking.requestId)
    faults.next('none')
    faults.next('before', 2)
    const ready = await collects(asking)
    expect(asking.client.opened(ready)).toEqual({ URL: 'pg://s3cret' })
    await collected(ready)
    expectError(await collects(asking), 404, 'request not found or expired')
  })

  test.each(['before', 'after'] as const)(
    'a denial that fails %s the change is made once it is repeated',
    async (when) => {
      const asking = await asked()
      await failsOnce(when, () => deniedBy(asking.requestId))
      await deniedBy(asking.requestId)
      expectError(await collects(asking), 404, 'request not found or expired', 'request_denied')
    },
  )
})
