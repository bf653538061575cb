import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPair, type KeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'

export type Answer = { readonly status: number; readonly body: Record<string, unknown> }
export type Way = 'loopback' | 'code'

const POLL_MS = 3_000

/** An attacker who makes a request and sends its link to a person who can approve. Calls the interface without the
 * client, and knows everything that the client would know. */
export class Attacker {
  readonly keys: KeyPair = generateKeyPair()
  readonly verifier = generatePollVerifier()
  /** Every answer so far, to search it for what must not be there. */
  readonly received: Answer[] = []
  #url: string
  readonly #address = `203.0.${randomInt(256)}.${randomInt(256)}`

  constructor(url: string) {
    this.#url = url
  }

  /** Go on with a server that has another address now. */
  moveTo(url: string): void {
    this.#url = url
  }

  /** Ask for a bundle; without ways of return, as a client that knows only the published interface does.
   * @param more fields of the request */
  async ask(bundle: string, release: readonly Way[] = [], more: object = {}): Promise<string> {
    const returning = { release, poll_challenge: pollChallenge(this.verifier) }
    const client_pubkey = Buffer.from(this.keys.publicKey).toString('base64')
    const body = { client_pubkey, bundle_id: bundle, ...(release.length === 0 ? {} : returning), ...more }
    const { body: made } = await this.#call('POST', '', body)
    return String(made['id'])
  }

  /** Ask for the names of a bundle, or for the bundles of a workspace.
   * @returns the id, and the path of the approval page */
  async askForNames(
    bundle: string,
    {
      release = ['loopback', 'code'],
      meta = { hostname: 'laptop', user: 'sam' },
    }: { release?: readonly Way[]; meta?: Readonly<Record<string, string>> } = {},
  ): Promise<{ id: string; path: string }> {
    const argv = ['keyferry', 'ls', bundle]
    const { status, body } = await this.#call('POST', '', {
      kind: 'names',
      client_pubkey: Buffer.from(this.keys.publicKey).toString('base64'),
      bundle_id: bundle,
      release,
      poll_challenge: pollChallenge(this.verifier),
      argv,
      meta: { command: argv.join(' '), ...meta },
    })
    if (status !== 201) throw new Error(`the request was refused: ${JSON.stringify(body)}`)
    return { id: String(body['id']), path: String(body['verification_uri_complete']) }
  }

  /** Hand in what the approver's page showed. */
  async release(id: string, secret: string, verifier = this.verifier): Promise<Answer> {
    return await this.#call('POST', `/${id}/release`, { secret }, verifier)
  }

  /** What the request has to give now. With `known`, it answers as soon as it needs something else. */
  async wait(id: string, known?: string): Promise<Answer> {
    return await this.#call('GET', `/${id}/wait${known === undefined ? '' : `?known=${known}`}`)
  }

  /** Wait again and again, as fast as the server allows, until the request ends or the test does.
   * @returns the last answer; null: the test ended first */
  async waitToTheEnd(id: string, signal: AbortSignal): Promise<Answer | null> {
    while (!signal.aborted) {
      const answer = await Promise.race([this.wait(id, 'none'), ended(signal)])
      if (answer === null || answer.status === 404 || answer.body['status'] === 'ready') return answer
      await Promise.race([sleep(POLL_MS), ended(signal)])
    }
    return null
  }

  /** What anyone with the link sees. */
  async context(id: string): Promise<Answer> {
    return await this.#call('GET', `/${id}/context`)
  }

  /** The values, or the list of names, that this attacker got. */
  opened({ body }: Answer): Record<string, unknown> {
    const box = Buffer.from(String(body['ciphertext_base64']), 'base64')
    return JSON.parse(new TextDecoder().decode(open(box, this.keys)))
  }

  /** Whether any answer so far had a sealed box in it. */
  get hasBox(): boolean {
    return this.received.some(({ body }) => 'ciphertext_base64' in body)
  }

  async #call(method: string, path: string, body?: object, verifier = this.verifier): Promise<Answer> {
    const response = await fetch(`${this.#url}/api/v1/requests${path}`, {
      method,
      headers: {
        'x-forwarded-for': this.#address,
        'x-poll-verifier': verifier,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await answerOf(response)
    this.received.push(answer)
    return answer
  }
}

/** A person who approves everything that is offered to them, as fast as a script.
 * @param headers what each call of their session carries */
export class CarelessApprover {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url
    this.#headers = headers
  }

  /** Approve `keys` of a bundle. */
  async approve(
    id: string,
    {
      bundle,
      keys,
      ...more
    }: { bundle: string; keys: readonly string[]; release?: Way; remember_hours?: number },
  ): Promise<Answer> {
    return await this.#post(`${id}/encrypt-from-bundle`, { bundle_id: bundle, include_keys: keys, ...more })
  }

  /** Let a terminal list the names of a bundle, or the bundles of a workspace. */
  async approveNames(id: string, choice: { bundle_id?: string; release?: Way }): Promise<Answer> {
    return await this.#post(`${id}/names`, choice)
  }

  async freshCode(id: string): Promise<Answer> {
    return await this.#post(`${id}/release-code`, {})
  }

  async #post(path: string, body: object): Promise<Answer> {
    const headers = { ...this.#headers, 'content-type': 'application/json' }
    const address = `${this.#url}/api/v1/requests/${path}`
    return await answerOf(await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) }))
  }
}

function ended(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })
}

/** What the approver's page was given to carry back: the secret of the loopback, or the code. */
export function returnedSecret({ body }: Answer): string {
  const { release } = body as { release?: { secret?: string; code?: string } }
  const secret = release?.secret ?? release?.code
  if (secret === undefined) throw new Error(`nothing to carry back: ${JSON.stringify(body)}`)
  return secret
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}
