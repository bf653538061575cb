import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { createTenantKey, unwrapTenantKey, wrapTenantKey } from '@keyferry/crypto/tenant-key'
import { BoundedMap } from '../base/bounded-map.ts'
import type { Query } from '../base/queries.ts'

const CACHED_KEYS = 10_000

export type WrappedTenantKey = { wrapped_key: Uint8Array; root_key_id: string }

/** The tenants' keys, unwrapped on first use and kept in memory for the busiest tenants. */
export class TenantKeys {
  readonly #query: Query
  readonly #ring: RootKeyRing
  readonly #cache = new BoundedMap<string, Uint8Array>(CACHED_KEYS)

  constructor(query: Query, ring: RootKeyRing) {
    this.#query = query
    this.#ring = ring
  }

  /** A fresh key, wrapped for a tenant that is about to be stored. */
  createFor(tenantId: string): WrappedTenantKey {
    const { first } = this.#ring
    return { wrapped_key: wrapTenantKey(createTenantKey(), first, tenantId), root_key_id: first.id }
  }

  /** @throws CryptoError when the stored key was changed or wrapped by a root key that is not in use
   * @throws Error when there is no such tenant */
  async of(tenantId: string): Promise<Uint8Array> {
    const known = this.#cache.get(tenantId)
    if (known) return known
    const { wrapped_key } = await this.#query
      .selectFrom('tenants')
      .select('wrapped_key')
      .where('id', '=', tenantId)
      .executeTakeFirstOrThrow()
    const key = unwrapTenantKey(wrapped_key, this.#ring, tenantId)
    this.#cache.set(tenantId, key)
    return key
  }
}
