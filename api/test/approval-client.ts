import { randomBytes } from 'node:crypto'
import { generateKeyPair, type KeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { expect } from 'vitest'
import type { Answered, Identity, TestApi } from './api.ts'

/** A client with its key pair, for an API that trusts loopback as a proxy: each client has a different address, so that
 * clients do not share a rate limit. */
export class ApprovalClient {
  readonly keyPair: KeyPair
  readonly address = `10.${[...randomBytes(3)].join('.')}`
  readonly #api: Pick<TestApi, 'call'>

  constructor(api: Pick<TestApi, 'call'>, keyPair = generateKeyPair()) {
    this.#api = api
    this.keyPair = keyPair
  }

  get publicKey(): string {
    return Buffer.from(this.keyPair.publicKey).toString('base64')
  }

  ask(body: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
    return this.#api.call('createRequest', {
      body: { client_pubkey: this.publicKey, ...body },
      headers: { 'x-forwarded-for': this.address, ...headers },
    })
  }

  /** The id of a request that was taken. */
  async asked(body: Record<string, unknown> = {}): Promise<string> {
    const answer = await this.ask(body)
    expect(answer.status).toBe(201)
    return answer.json.id
  }

  wait(requestId: string, headers: Record<string, string> = {}, api: Pick<TestApi, 'call'> = this.#api) {
    return api.call('waitForApproval', {
      params: { request_id: requestId },
      headers: { 'x-forwarded-for': this.address, ...headers },
    })
  }

  /** The values of a ready answer, as only this client can read them. */
  opened(answer: Answered): Record<string, string> {
    expect(answer.json).toMatchObject({ status: 'ready' })
    const { ciphertext_base64 } = answer.json as { ciphertext_base64: string }
    const plaintext = open(Buffer.from(ciphertext_base64, 'base64'), this.keyPair)
    return JSON.parse(new TextDecoder().decode(plaintext))
  }
}

/** A bundle of library keys, attached in the order given. */
export async function newBundle(
  api: TestApi,
  as: Identity,
  values: Readonly<Record<string, string | { value: string; is_secret: boolean }>>,
): Promise<{ id: string; name: string }> {
  const name = `test/${randomBytes(6).toString('hex')}`
  const bundle = await api.call('createBundle', { as, body: { name, description: 'for a test' } })
  expect(bundle.status).toBe(201)
  for (const [key, given] of Object.entries(values)) {
    const { value, is_secret } = typeof given === 'string' ? { value: given, is_secret: true } : given
    const made = await api.call('createKey', { as, body: { name: key, value, is_secret, description: key } })
    expect(made.status).toBe(201)
    const params = { bundle_id: bundle.json.id, key_id: made.json.id }
    expect((await api.call('attachKey', { as, params })).status).toBe(201)
  }
  return { id: bundle.json.id, name }
}

export function approveWith(
  api: Pick<TestApi, 'call'>,
  as: Identity | undefined,
  { requestId, ...body }: { requestId: string } & Record<string, unknown>,
) {
  return api.call('encryptFromBundle', { as, params: { request_id: requestId }, body })
}
