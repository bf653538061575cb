import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

const GONE = 'request not found or expired'
const UNKNOWN_ID = 'f'.repeat(32)

describe.each(oneDatabase)('withdrawing a request on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
  })
  afterAll(() => api.close())

  async function asked() {
    const client = new ApprovalClient(api)
    const verifier = generatePollVerifier()
    const id = await client.asked({ poll_challenge: pollChallenge(verifier) })
    return { client, id, proof: { 'x-poll-verifier': verifier } }
  }
  const withdraw = (requestId: string, headers: Record<string, string> = {}) =>
    api.call('withdrawRequest', { params: { request_id: requestId }, headers })
  const context = (requestId: string) => api.call('getRequestContext', { params: { request_id: requestId } })
  const approve = (requestId: string) =>
    approveWith(api, owner, { requestId, bundle_id: bundle.id, include_keys: ['URL'] })

  test('ends a pending request for every caller, as request_withdrawn', async () => {
    const { client, id, proof } = await asked()
    const { status, json } = await withdraw(id, proof)
    expect([status, json]).toEqual([200, { ok: true }])
    expectError(await context(id), 404, GONE, 'request_withdrawn')
    expectError(await approve(id), 404, GONE, 'request_withdrawn')
    expectError(await client.wait(id, proof), 404, GONE, 'request_withdrawn')
    const denied = await api.call('denyRequest', { as: owner, params: { request_id: id } })
    expectError(denied, 404, GONE, 'request_withdrawn')
    expectError(await withdraw(id, proof), 404, GONE, 'request_withdrawn')
  })

  test('destroys what was approved and not fetched', async () => {
    const { client, id, proof } = await asked()
    await approve(id)
    expect((await withdraw(id, proof)).status).toBe(200)
    expectError(await client.wait(id, proof), 404, GONE, 'request_withdrawn')
    expectError(await context(id), 404, GONE, 'request_withdrawn')
  })

  test('makes the delivery void, and its holder holds nothing', async () => {
    const { id, proof } = await asked()
    await approve(id)
    const [approved] = (await api.call('listDeliveries', { as: owner })).json
    expect(approved?.state).toBe('approved')
    await withdraw(id, proof)
    const [delivery] = (await api.call('listDeliveries', { as: owner })).json
    expect(delivery).toMatchObject({ id: approved?.id, state: 'void' })
    const params = { key_id: delivery?.keys[0]?.id ?? '' }
    expect((await api.call('listHolders', { as: owner, params })).json).toEqual([])
    const [newest] = (await api.call('listAudit', { as: owner })).json
    expect(newest).toMatchObject({
      action: 'delivery.void',
      data: { delivery: delivery?.id, reason: 'withdrawn' },
    })
  })

  test('wakes a call that waits', async () => {
    const { client, id, proof } = await asked()
    const waiting = client.wait(id, proof)
    await api.untilWaiting()
    await withdraw(id, proof)
    expectError(await waiting, 404, GONE, 'request_withdrawn')
  })

  test('without the right verifier it answers byte for byte as an unknown id, and uses nothing up', async () => {
    const { client, id, proof } = await asked()
    await approve(id)
    const unknown = await withdraw(UNKNOWN_ID, proof)
    expectError(unknown, 404, GONE, 'not_found')
    for (const headers of [{}, { 'x-poll-verifier': generatePollVerifier() }, { 'x-poll-verifier': 'x' }]) {
      const refused = await withdraw(id, headers)
      expect([refused.status, refused.text]).toEqual([404, unknown.text])
    }
    expect(client.opened(await client.wait(id, proof))).toEqual({ URL: 'pg://s3cret' })
  })

  test('a request without a challenge cannot be withdrawn with any proof', async () => {
    const client = new ApprovalClient(api)
    const id = await client.asked()
    const unknown = await withdraw(UNKNOWN_ID)
    for (const headers of [{}, { 'x-poll-verifier': generatePollVerifier() }]) {
      expect((await withdraw(id, headers)).text).toBe(unknown.text)
    }
    await approve(id)
    expect(client.opened(await client.wait(id))).toEqual({ URL: 'pg://s3cret' })
  })

  test('only a caller with the verifier learns that the request was denied', async () => {
    const { id, proof } = await asked()
    await api.call('denyRequest', { as: owner, params: { request_id: id } })
    expectError(await withdraw(id, proof), 404, GONE, 'request_denied')
    expectError(await withdraw(id), 404, GONE, 'not_found')
  })

  test('a delivered request cannot be withdrawn', async () => {
    const { client, id, proof } = await asked()
    await approve(id)
    await client.wait(id, proof)
    await expect.poll(async () => (await withdraw(id, proof)).failure?.code).toBe('not_found')
  })
})

test('the ciphertext leaves the store with its withdrawal', async () => {
  const api = await startTestApi('sqlite')
  const owner = await api.newOwner()
  const bundle = await newBundle(api, owner, { URL: 'pg://s3cret' })
  const verifier = generatePollVerifier()
  const requestId = await new ApprovalClient(api).asked({ poll_challenge: pollChallenge(verifier) })
  await approveWith(api, owner, { requestId, bundle_id: bundle.id, include_keys: ['URL'] })
  await api.call('withdrawRequest', {
    params: { request_id: requestId },
    headers: { 'x-poll-verifier': verifier },
  })
  await api.close()

  const database = new DatabaseSync(join(api.settings.dataDir, 'keyferry.db'))
  expect(database.prepare('select payload from requests').all()).toEqual([{ payload: null }])
  database.close()
})
