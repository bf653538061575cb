import { boxDigest, commandDigest, receiptFits } from '@keyferry/crypto/receipt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { DepositClient, storeDeposit } from './deposit-client.ts'

const bytes = (text: string) => Buffer.from(text, 'base64')

describe.each(oneDatabase)('receipts of deposits on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  test('the server signs what it stored, where, from which box, and who approved', async () => {
    const bundle = await newBundle(api, owner, { SAME: '1', CHANGED: '1', GONE: '1' })
    const client = new DepositClient(api)
    const values = { SAME: '1', CHANGED: '2', MADE: 's3cret' }
    const argv = ['keyferry', 'import', '.env']
    const body = { ...(await client.body(bundle.name, values, { detach: ['GONE'] })), argv }
    const id = await client.asked(body)
    await storeDeposit(api, owner, { client, requestId: id })
    const { deposit } = (await client.waits(id)).json as { deposit: Record<string, unknown> }
    const { kid, payload, signature } = deposit['receipt'] as Record<string, string>
    const { keys } = (await api.call('listReceiptKeys')).json
    const publicKey = bytes(keys.find((key) => key.kid === kid)?.public_key ?? '')
    expect(receiptFits(bytes(payload ?? ''), { publicKey, signature: bytes(signature ?? '') })).toBe(true)
    const text = bytes(payload ?? '').toString('utf8')
    expect(text).not.toContain('s3cret')
    expect(JSON.parse(text)).toEqual({
      v: 1,
      kind: 'deposit',
      origin: 'keyferry.example.com',
      request_id: id,
      client_pubkey: client.publicKey,
      ciphertext_sha256: boxDigest(bytes(body.deposit.ciphertext_base64)),
      argv_sha256: commandDigest(argv),
      deposit_id: deposit['id'],
      bundle: { id: bundle.id, name: bundle.name },
      workspace: { id: owner.tenantId, name: expect.any(String) },
      variables: [
        { name: 'SAME', action: 'same' },
        { name: 'CHANGED', action: 'update' },
        { name: 'MADE', action: 'create' },
        { name: 'GONE', action: 'detach' },
      ],
      counts: deposit['counts'],
      approvers: [{ id: owner.userId, username: deposit['approved_by'] }],
      stored_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })
})
