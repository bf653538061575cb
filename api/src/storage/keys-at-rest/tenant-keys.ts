import type { RootKeyRing } from '@keyferry/crypto/root-key'
import {
  createTenantKey,
  type TenantKeyRing,
  unwrapTenantKey,
  wrapTenantKey,
} from '@keyferry/crypto/tenant-key'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import { type CompiledQuery, sql } from 'kysely'
import { userNotFound } from '../../domain/people/membership.ts'
import { preparedStatement } from '../base/prepared.ts'
import { Outdated, type Queries, type Query } from '../base/queries.ts'

const CACHED_KEYS = 10_000

/** For how long a process uses a key without reading its row again. So all processes know a new key soon, and that a
 * tenant is gone. */
export const KEY_KEPT_MS = 2_000

/** For how long it keeps what it unwrapped, at most. */
const UNWRAPPED_MS = 60_000

/** A tenant's keys: the one that encrypts, and those of a rotation. */
export const KEY_COLUMNS = ['wrapped_key', 'next_key', 'old_key'] as const

export type WrappedTenantKey = { wrapped_key: Uint8Array; root_key_id: string }

type Unwrapped = { wrapped: Buffer; first: Uint8Array; keys: TenantKeyRing; readAtMs: number }

/** The tenants' keys, unwrapped on first use and kept in memory for a minute at most. */
export class TenantKeys {
  readonly #query: Query
  readonly #ring: RootKeyRing
  readonly #holding: (values: { tenantId: string }) => CompiledQuery<WrappedKeys>
  readonly #requireRow: Queries['requireRow']
  readonly #holdingKnown: (values: { tenantId: string; first: Uint8Array }) => CompiledQuery
  readonly #cache = new BoundedMap<string, Unwrapped>(CACHED_KEYS)

  constructor(queries: Pick<Queries, 'query' | 'requireRow' | 'holdLightly'>, ring: RootKeyRing) {
    const { query, requireRow, holdLightly } = queries
    this.#query = query
    this.#ring = ring
    this.#requireRow = requireRow
    this.#holding = preparedStatement((value: (name: 'tenantId') => string) =>
      wrappedOf(query, value('tenantId')).modifyEnd(holdLightly),
    )
    this.#holdingKnown = preparedStatement((value: (name: 'tenantId' | 'first') => string) =>
      wrappedOf(query, value('tenantId')).where(sql`wrapped_key`, '=', value('first')).modifyEnd(holdLightly),
    )
  }

  /** A fresh key, wrapped for a tenant that is about to be stored. */
  createFor(tenantId: string): WrappedTenantKey {
    const { first } = this.#ring
    return { wrapped_key: wrapTenantKey(createTenantKey(), first, tenantId), root_key_id: first.id }
  }

  /** For reading. To encrypt, use `held`.
   * @throws CryptoError when a stored key was changed or wrapped by a root key that is not in use
   * @throws DomainError not_found: there is no such tenant */
  async of(tenantId: string): Promise<TenantKeyRing> {
    const known = this.#cache.get(tenantId)
    if (known && performance.now() - known.readAtMs < KEY_KEPT_MS) return known.keys
    return this.#unwrapped(tenantId, await wrappedOf(this.#query, tenantId).executeTakeFirst())
  }

  /** As `of`, for a transaction that encrypts: until it ends, no rotation can begin to use another key. */
  async held(transaction: Query, tenantId: string): Promise<TenantKeyRing> {
    const { rows } = await transaction.executeQuery(this.#holding({ tenantId }))
    return this.#unwrapped(tenantId, rows[0])
  }

  /** As `held`. A cached key is only checked, and the transaction does not wait for the answer. If the key has
   * changed, it fails and runs once more. */
  async heldKnown(transaction: Query, tenantId: string): Promise<TenantKeyRing> {
    const known = this.#cache.get(tenantId)
    if (!known) return this.held(transaction, tenantId)
    await this.#requireRow(transaction, this.#holdingKnown({ tenantId, first: known.first }), () => {
      this.#cache.delete(tenantId)
      return new Outdated(`the key of ${tenantId} is another one now`)
    })
    return known.keys
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
    this.#cache.set(tenantId, { wrapped, first: row.wrapped_key, keys, readAtMs: performance.now() })
    return keys
  }
}

type WrappedKeys = { wrapped_key: Uint8Array; next_key: Uint8Array | null; old_key: Uint8Array | null }

function wrappedOf(query: Query, tenantId: string) {
  return query.selectFrom('tenants').select(KEY_COLUMNS).where('id', '=', tenantId)
}
