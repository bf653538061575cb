import { endorsementFits, receiptFits } from '@keyferry/crypto/receipt'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeReceiptKey, rotateRootKey, startApi } from '../src/main.ts'
import { callsTo, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

type Signed = { kid: string; payload: string; signature: string }

const bytes = (text: string) => Buffer.from(text, 'base64')
const receiptIn = (answer: { json: unknown }) => (answer.json as { receipt: Signed }).receipt
const keysOf = async (api: Pick<TestApi, 'call'>) => (await api.call('listReceiptKeys')).json.keys

describe.each(oneDatabase)('receipts on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let bundle: { id: string; name: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
    bundle = await newBundle(api, owner, { URL: 'pg://s3cret', LEVEL: { value: 'info', is_secret: false } })
  })
  afterAll(() => api.close())

  const keys = () => keysOf(api)
  const factsOf = async ({ kid, payload, signature }: Signed) => {
    const key = (await keys()).find((each) => each.kid === kid)
    const proof = { publicKey: bytes(key?.public_key ?? ''), signature: bytes(signature) }
    expect(receiptFits(bytes(payload), proof)).toBe(true)
    return JSON.parse(bytes(payload).toString('utf8'))
  }
  const delivered = async (release?: string, body: Record<string, unknown> = {}) => {
    const client = new ReturningClient(api)
    const id = await client.request(undefined, body)
    const choice = { requestId: id, bundle_id: bundle.id, include_keys: ['URL', 'LEVEL'], release }
    const { json } = await approveWith(api, owner, choice)
    return { client, id, json }
  }

  test('a delivery comes with a signed receipt of who approved what, and how', async () => {
    const { client, id, json } = await delivered('loopback', { argv: ['npm', 'start'] })
    await client.release(id, secretOf(json))
    const answer = await client.waits(id)
    const ready = answer.json as { delivery_id: string }
    expect(await factsOf(receiptIn(answer))).toMatchObject({
      v: 1,
      origin: 'keyferry.example.com',
      request_id: id,
      client_pubkey: client.publicKey,
      ciphertext_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      delivery_id: ready.delivery_id,
      bundle: { id: bundle.id, name: bundle.name },
      keys: [
        { name: 'URL', key_id: expect.any(String), version: 1 },
        { name: 'LEVEL', key_id: expect.any(String), version: 1 },
      ],
      public: ['LEVEL'],
      approvers: [{ id: owner.userId, username: expect.any(String) }],
      released_by: 'loopback',
      grant_id: null,
      argv_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('it names the code where a fresh code took the place of loopback', async () => {
    const { client, id } = await delivered('loopback')
    const { json } = await api.call('createReleaseCode', { as: owner, params: { request_id: id } })
    await client.release(id, secretOf(json))
    expect(await factsOf(receiptIn(await client.waits(id)))).toMatchObject({ released_by: 'code', v: 1 })
  })

  test('no return and no command are null in it', async () => {
    const { client, id } = await delivered()
    const facts = await factsOf(receiptIn(await client.waits(id)))
    expect(facts).toMatchObject({ released_by: null, argv_sha256: null })
  })

  test('the previous key endorses a new key, and both are valid', async () => {
    const [first] = await keys()
    await makeReceiptKey(api.settings)
    const kid = await makeReceiptKey(api.settings)
    const running = await startApi({ ...api.settings, logLevel: 'silent' })
    try {
      const [newest, older, ...rest] = await keysOf({ call: callsTo(running.address) })
      expect(rest).toEqual([])
      expect(newest?.kid).toBe(kid)
      expect(newest?.endorsed_by?.kid).toBe(older?.kid)
      expect(older?.endorsed_by?.kid).toBe(first?.kid)
      const proof = {
        publicKey: bytes(older?.public_key ?? ''),
        signature: bytes(newest?.endorsed_by?.signature ?? ''),
      }
      expect(endorsementFits(bytes(newest?.public_key ?? ''), proof)).toBe(true)
    } finally {
      await running.close()
    }
  })

  test('the key survives a rotation of the root key', async () => {
    const [before] = await keys()
    const rootKeys = [formatRootKey(generateRootKey()), ...api.settings.rootKeys] as const
    await rotateRootKey({ ...api.settings, rootKeys })
    const running = await startApi({ ...api.settings, rootKeys: [rootKeys[0]], logLevel: 'silent' })
    try {
      const kids = (await keysOf({ call: callsTo(running.address) })).map(({ kid }) => kid)
      expect(kids).toHaveLength(2)
      expect(before).toBeDefined()
    } finally {
      await running.close()
    }
  })
})
