import type { RootKeyRing } from '@keyferry/crypto/root-key'
import {
  createTenantKey,
  type TenantKeyRing,
  unwrapTenantKey,
  wrapTenantKey,
} from '@keyferry/crypto/tenant-key'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import { userNotFound } from '../../domain/people/membership.ts'
import { ask } from '../base/pipeline.ts'
import type { Queries, Query } from '../base/queries.ts'

const CACHED_KEYS = 10_000

/** For how long a process uses a key without reading its row again. So all processes know a new key soon, and that a
 * tenant is gone. */
export const KEY_KEPT_MS = 2_000

/** For how long it keeps what it unwrapped, at most. */
const UNWRAPPED_MS = 60_000

/** A tenant's keys: the one that encrypts, and those of a rotation. */
export const KEY_COLUMNS = ['wrapped_key', 'next_key', 'old_key'] as const

export type WrappedTenantKey = { wrapped_key: Uint8Array; root_key_id: string }

type Unwrapped = { wrapped: Buffer; keys: TenantKeyRing; readAtMs: number }

/** The tenants' keys, unwrapped on first use and kept in memory for a minute at most. */
export class TenantKeys {
  readonly #query: Query
  readonly #ring: RootKeyRing
  readonly #lockKeyShare: Queries['lockKeyShare']
  readonly #cache = new BoundedMap<string, Unwrapped>(CACHED_KEYS)

  constructor(queries: Pick<Queries, 'query' | 'lockKeyShare'>, ring: RootKeyRing) {
    const { query, lockKeyShare } = queries
    this.#query = query
    this.#ring = ring
    this.#lockKeyShare = lockKeyShare
  }

  /** A fresh key, wrapped for a tenant that is about to be stored. */
  createFor(tenantId: string): WrappedTenantKey {
    const { first } = this.#ring
    return { wrapped_key: wrapTenantKey(createTenantKey(), first, tenantId), root_key_id: first.id }
  }

  /** For reading. To encrypt, use `locked`.
   * @throws CryptoError when a stored key was changed or wrapped by a root key that is not in use
   * @throws DomainError not_found: there is no such tenant */
  async of(tenantId: string): Promise<TenantKeyRing> {
    const known = this.#cache.get(tenantId)
    if (known && performance.now() - known.readAtMs < KEY_KEPT_MS) return known.keys
    return this.#unwrapped(tenantId, await wrappedOf(this.#query, tenantId).executeTakeFirst())
  }

  /** As `of`, for a transaction that encrypts: until it ends, no rotation can begin to use another key. */
  async locked(transaction: Query, tenantId: string): Promise<TenantKeyRing> {
    const [row] = await ask(transaction, wrappedOf(transaction, tenantId).modifyEnd(this.#lockKeyShare))
    return this.#unwrapped(tenantId, row)
  }

  #unwrapped(tenantId: string, row: WrappedKeys | undefined): TenantKeyRing {
    if (!row) {
      this.#cache.delete(tenantId)
      throw userNotFound()
    }
    const others = [row.next_key, row.old_key].filter((key) => key !== null)
    const wrapped = Buffer.concat([row.wrapped_key, ...others])
    const known = this.#cache.get(tenantId)
    const unwrap = (key: Uint8Array) => unwrapTenantKey(key, this.#ring, tenantId)
    const keys = known?.wrapped.equals(wrapped)
      ? known.keys
      : ([unwrap(row.wrapped_key), ...others.map(unwrap)] as const)
    if (this.#cache.size === 0) setTimeout(() => this.#cache.clear(), UNWRAPPED_MS).unref()
    this.#cache.set(tenantId, { wrapped, keys, readAtMs: performance.now() })
    return keys
  }
}

type WrappedKeys = { wrapped_key: Uint8Array; next_key: Uint8Array | null; old_key: Uint8Array | null }

function wrappedOf(query: Query, tenantId: string) {
  return query.selectFrom('tenants').select(KEY_COLUMNS).where('id', '=', tenantId)
}
