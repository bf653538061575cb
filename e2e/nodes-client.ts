import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPair, type KeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { expect } from 'vitest'
import { until } from '../plumbing/test/until.ts'
import { callbackOf } from '../web/test/sign-in.ts'
import { TestBrowser } from '../web/test/test-browser.ts'
import type { ManyNodes } from './many-nodes.ts'

type Asked = { id: string; keys: KeyPair }
type WaitAnswer = { status: 'pending' } | { status: 'ready'; ciphertext_base64: string }

type Call = {
  at?: string
  method?: string
  body?: unknown
  as?: string | null
  headers?: Record<string, string>
}

function opened(ciphertext: string, keys: KeyPair): string {
  const plaintext = Buffer.from(open(Buffer.from(ciphertext, 'base64'), keys)).toString()
  return (JSON.parse(plaintext) as { TOKEN: string }).TOKEN
}

/** A person and terminals that call any of the nodes. */
export class NodesClient {
  readonly #nodes: ManyNodes
  #cookie = ''
  #bundleId = ''
  #peer = 0

  constructor(nodes: ManyNodes) {
    this.#nodes = nodes
  }

  /** Sign in, and store one value. */
  async begin(value: string): Promise<void> {
    this.#cookie = await this.signIn('sam')
    this.#bundleId = await this.#libraryWith('TOKEN', value)
  }

  async signIn(subject: string): Promise<string> {
    const browser = new TestBrowser()
    const back = await browser.request(await callbackOf(browser, { webUrl: this.#nodes.publicUrl, subject }))
    expect(back.status).toBe(302)
    return `__session=${browser.cookies(this.#nodes.publicUrl).get('__session')}`
  }

  /** A call as the browser makes it, through nginx unless a node is named. */
  async call(
    path: string,
    { at = this.#nodes.publicUrl, method = 'GET', body, as = this.#cookie, headers = {} }: Call = {},
  ) {
    return await fetch(at + path, {
      method,
      headers: {
        ...(as === null ? {} : { cookie: as, origin: this.#nodes.publicUrl }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  async #libraryWith(name: string, value: string): Promise<string> {
    const key = (await (
      await this.call('/api/v1/keys', { method: 'POST', body: { name, value } })
    ).json()) as {
      id: string
    }
    const bundle = (await (
      await this.call('/api/v1/bundles', { method: 'POST', body: { name: 'dev/app' } })
    ).json()) as { id: string }
    await this.call(`/api/v1/bundles/${bundle.id}/keys/${key.id}`, { method: 'POST', body: {} })
    return bundle.id
  }

  // Sends a different address as a proxy would, because one address may make ten requests a minute.
  async ask(at = this.#nodes.addressOf('web-1')): Promise<Asked> {
    const keys = generateKeyPair()
    const body = { client_pubkey: Buffer.from(keys.publicKey).toString('base64') }
    this.#peer += 1
    const from = { 'x-forwarded-for': `198.51.100.${this.#peer}` }
    const answer = await this.call('/api/v1/requests', { at, method: 'POST', body, as: null, headers: from })
    expect(answer.status).toBe(201)
    return { id: ((await answer.json()) as { id: string }).id, keys }
  }

  async approve({ id }: Asked, at = this.#nodes.publicUrl): Promise<void> {
    const body = { bundle_id: this.#bundleId, include_keys: ['TOKEN'] }
    const path = `/api/v1/requests/${id}/encrypt-from-bundle`
    await expect
      .poll(async () => (await this.call(path, { at, method: 'POST', body })).status, { interval: 200 })
      .toSatisfy((status: number) => status === 200 || status === 409)
  }

  /** The status of a wait that does not come too soon. */
  async end({ id }: Pick<Asked, 'id'>): Promise<number> {
    return await until('a wait that is not too soon', async () => {
      const { status } = await this.call(`/api/v1/requests/${id}/wait`, { as: null })
      if (status === 429) await sleep(300)
      return status !== 429 && status
    })
  }

  /** Wait as a client does: retry after a broken connection, a 503 or a 429. */
  async wait({ id, keys }: Asked, at = this.#nodes.publicUrl): Promise<string> {
    return await until('a delivery', async () => {
      const answer = await this.call(`/api/v1/requests/${id}/wait`, { at, as: null }).catch(() => null)
      if (answer?.status === 404) throw new Error('the request is gone')
      const result = answer?.status === 200 ? ((await answer.json()) as WaitAnswer) : null
      if (result?.status === 'ready') return opened(result.ciphertext_base64, keys)
      await sleep(answer?.status === 429 ? 3_000 : 300)
      return null
    })
  }
}
