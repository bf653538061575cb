import { expect } from 'vitest'
import type { Identity, TestApi } from './api.ts'

export const URL_TEMPLATE = 'postgres://app:${DB_PASSWORD|uri}@${DB_HOST}/app'

/** Calls of one owner for the tests of composed values. */
export class ComposedLibrary {
  readonly #api: TestApi
  readonly owner: Identity

  constructor(api: TestApi, owner: Identity) {
    this.#api = api
    this.owner = owner
  }

  async bundle(name: string): Promise<string> {
    return (await this.#api.call('createBundle', { as: this.owner, body: { name } })).json.id
  }

  async key(name: string, value: string, body: object = {}): Promise<string> {
    const made = await this.#api.call('createKey', { as: this.owner, body: { name, value, ...body } })
    expect(made.failure).toBeNull()
    return made.json.id
  }

  template(name: string, text: string, body: object = {}): Promise<string> {
    return this.key(name, text, { is_template: true, is_secret: false, ...body })
  }

  attach(bundle_id: string, key_id: string, as?: string) {
    const body = as === undefined ? {} : { as }
    return this.#api.call('attachKey', { as: this.owner, params: { bundle_id, key_id }, body })
  }

  /** A new key that is attached under its name. */
  async has(bundleId: string, name: string, value: string, body: object = {}): Promise<string> {
    const { failure } = await this.attach(
      bundleId,
      await this.key(`${name}_${bundleId.slice(-8)}`, value, body),
      name,
    )
    expect(failure).toBeNull()
    const { json } = await this.#api.call('listBundleKeys', {
      as: this.owner,
      params: { bundle_id: bundleId },
    })
    return json.find((key) => key.name === name)?.id ?? ''
  }

  update(key_id: string, body: object) {
    return this.#api.call('updateKey', { as: this.owner, params: { key_id }, body })
  }

  async readKey(key_id: string) {
    return (await this.#api.call('getKey', { as: this.owner, params: { key_id } })).json
  }

  async items(bundle_id: string) {
    return (await this.#api.call('getBundle', { as: this.owner, params: { bundle_id } })).json.items
  }

  exported(bundle_id: string, query: Record<string, string> = { format: 'json', reveal: '1' }) {
    return this.#api.call('exportBundle', { as: this.owner, params: { bundle_id }, query })
  }
}
