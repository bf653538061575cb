import { randomInt } from 'node:crypto'
import { depositBinding } from '@keyferry/crypto/deposit'
import { generateKeyPair, type KeyPair } from '@keyferry/crypto/key-pair'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { portableSeal } from '@keyferry/crypto/portable-seal'
import { callAsClient } from './client-calls.ts'

type Way = 'loopback' | 'code'

/** Values by name; a pair says whether a value is secret. */
export type Deposited = Readonly<Record<string, string | readonly [value: string, isSecret: boolean]>>

export type Depositing = {
  release?: readonly Way[]
  detach?: readonly string[]
  replace?: readonly string[]
  meta?: Readonly<Record<string, string>>
}

type Answer = { status: number; body: Record<string, unknown> }

/** Stores values with an approval, in the words of the wire and with the headers of the client: a terminal that a story
 * holds in its hand, or an attacker. */
export class Depositor {
  readonly keys: KeyPair = generateKeyPair()
  readonly verifier = generatePollVerifier()
  #url: string
  readonly #address: string

  constructor(url: string, address = `198.51.${randomInt(256)}.${randomInt(256)}`) {
    this.#url = url
    this.#address = address
  }

  /** Go on with a server that has another address now. */
  moveTo(url: string): void {
    this.#url = url
  }

  /** What anyone with the link sees. */
  context(id: string): Promise<Answer> {
    return this.#call('GET', `/requests/${id}/context`)
  }

  /** Ask to store values.
   * @returns the path of the approval page, and the check code */
  async deposit(
    bundle: string,
    values: Deposited,
    {
      release = ['loopback', 'code'],
      detach = [],
      replace = [],
      meta = { hostname: 'laptop', user: 'sam' },
    }: Depositing = {},
  ): Promise<{ id: string; path: string; userCode: string }> {
    const key = await this.#call('GET', '/deposit-key')
    const kid = String(key.body['kid'])
    const entries = Object.entries(values).map(([name, given]) => ({
      name,
      isSecret: typeof given === 'string' ? null : given[1],
    }))
    const challenge = pollChallenge(this.verifier)
    const content = { kid, publicKey: this.keys.publicKey, pollChallenge: challenge, bundle, workspace: null }
    const binding = depositBinding({ ...content, entries, detach, own: [], share: [], replace })
    const texts = Object.values(values).map((given) => (typeof given === 'string' ? given : given[0]))
    const plaintext = Buffer.from(JSON.stringify({ v: 1, binding, values: texts }))
    const box = portableSeal(plaintext, Buffer.from(String(key.body['public_key']), 'base64'))
    const { status, body } = await this.#call('POST', '/requests', {
      kind: 'deposit',
      client_pubkey: Buffer.from(this.keys.publicKey).toString('base64'),
      bundle_id: bundle,
      poll_challenge: challenge,
      release,
      argv: ['keyferry', 'import', '.env', '--bundle', bundle],
      meta: { command: `keyferry import .env --bundle ${bundle}`, ...meta },
      deposit: {
        kid,
        entries: entries.map(({ name, isSecret }) =>
          isSecret === null ? { name } : { name, is_secret: isSecret },
        ),
        detach,
        replace,
        ciphertext_base64: Buffer.from(box).toString('base64'),
      },
    })
    if (status !== 201) throw new Error(`the deposit was refused: ${JSON.stringify(body)}`)
    return {
      id: String(body['id']),
      path: String(body['verification_uri_complete']),
      userCode: String(body['user_code']),
    }
  }

  wait(id: string, known = 'code'): Promise<Answer> {
    return this.#call('GET', `/requests/${id}/wait?known=${known}`)
  }

  release(id: string, secret: string): Promise<Answer> {
    return this.#call('POST', `/requests/${id}/release`, { secret })
  }

  async #call(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const { status, text } = await callAsClient({
      method,
      url: `${this.#url}/api/v1${path}`,
      address: this.#address,
      headers: { 'x-poll-verifier': this.verifier },
      ...(body === undefined ? {} : { body }),
    })
    return { status, body: JSON.parse(text) }
  }
}
