import type { Identity, TestApi } from './api.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

type Choice = { bundle_id: string; include_keys: string[] }

/** A client that knows that its request may wait for another person. */
export class VouchingClient extends ReturningClient {
  readonly #api: TestApi
  requestId = ''

  constructor(api: TestApi) {
    super(api)
    this.#api = api
  }

  async begins(body: Record<string, unknown> = {}, release?: string[]): Promise<this> {
    this.requestId = await this.request(release, { waits_for_others: true, ...body })
    return this
  }

  get #params() {
    return { request_id: this.requestId }
  }

  vouches(as: Identity, choice: Choice, release: 'code' | 'loopback' = 'loopback') {
    return this.#api.call('vouchForRequest', { as, params: this.#params, body: { ...choice, release } })
  }

  /** A vouch that returns to this terminal. */
  async vouchedBy(as: Identity, choice: Choice, release?: 'code' | 'loopback'): Promise<this> {
    const { json } = await this.vouches(as, choice, release)
    const { status } = await this.release(this.requestId, secretOf(json))
    if (status !== 200) throw new Error(`the vouch did not return: ${status}`)
    return this
  }

  approves(as: Identity, choice: Choice, more: Record<string, unknown> = {}) {
    return this.#api.call('encryptFromBundle', { as, params: this.#params, body: { ...choice, ...more } })
  }

  offered(as: Identity, { bundle_id, include_keys }: Choice) {
    const params = { ...this.#params, bundle_id }
    return this.#api.call('getRequestBundle', { as, params, query: { keys: include_keys.join(',') } })
  }

  denied(as: Identity) {
    return this.#api.call('denyRequest', { as, params: this.#params })
  }

  context() {
    return this.#api.call('getRequestContext', { params: this.#params })
  }
}
