import { LIMITS } from '@keyferry/contract'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import { sql } from 'kysely'
import { type Bounds, workspaceFull } from '../../domain/base/bounds.ts'
import type { Queries } from './queries.ts'
import { selectOf } from './tenant-rows.ts'

const KNOWN_TENANTS = 10_000
const ROWS_AT_ONCE = 2_000
const READ_AGAIN_MS = 5_000
// Reading again takes at most 1/50 of the time; after a refusal, 1/10.
const REST = { usual: 50, refused: 10 } as const

type ByteCount = {
  bytes: number
  readAt: number
  readMs: number
  wasRefused: boolean
  reading: Promise<void> | null
}

/**
 * An estimate of the bytes that each tenant has stored, with some for each row, kept by this process. The sum is read
 * from the database at a tenant's first write and again from time to time; in between, only what this process writes is
 * added. A sum at each write would take longer the more is stored, and a counter in a row would make the writers of a
 * tenant wait for each other. So several processes together may pass the bound by what they write within a few seconds.
 */
export class StoredBytes {
  readonly #known = new BoundedMap<string, ByteCount>(KNOWN_TENANTS)
  readonly #sum: (tenantId: string) => Promise<number>
  readonly #bounds: Bounds

  constructor(queries: Pick<Queries, 'query'>, bounds: Bounds) {
    this.#sum = summing(queries)
    this.#bounds = bounds
  }

  /** Call before a transaction that stores values. It waits for the database only if the tenant is not known yet, or
   * if its last write was refused, because deletions since then may have made room. */
  async prepare(tenantId: string): Promise<void> {
    const known = this.#known.get(tenantId) ?? this.#unknown(tenantId)
    const rest = known.wasRefused
      ? known.readMs * REST.refused
      : Math.max(READ_AGAIN_MS, known.readMs * REST.usual)
    if (performance.now() - known.readAt < rest) return
    known.reading ??= this.#read(tenantId, known).finally(() => {
      known.reading = null
    })
    if (known.wasRefused || known.readAt === NEVER) await known.reading
    // A later write reports a database that is unavailable.
    else known.reading.catch(() => undefined)
  }

  /** @param valueBytes of one value that is stored
   * @throws DomainError workspace_full */
  add(tenantId: string, valueBytes: number): void {
    const known = this.#known.get(tenantId)
    if (known === undefined) return
    const bytes = valueBytes + LIMITS.storedRowBytes
    known.wasRefused = known.bytes + bytes > this.#bounds.tenantBytes
    if (known.wasRefused) throw workspaceFull(this.#bounds)
    known.bytes += bytes
  }

  #unknown(tenantId: string): ByteCount {
    const known = { bytes: 0, readAt: NEVER, readMs: 0, wasRefused: false, reading: null }
    this.#known.set(tenantId, known)
    return known
  }

  async #read(tenantId: string, known: ByteCount): Promise<void> {
    const before = { bytes: known.bytes, at: performance.now() }
    const sum = await this.#sum(tenantId)
    known.bytes = sum + (known.bytes - before.bytes)
    known.readAt = performance.now()
    known.readMs = known.readAt - before.at
    known.wasRefused = false
  }
}

const ROW_BYTES = sql.lit(LIMITS.storedRowBytes)

const NEVER = Number.NEGATIVE_INFINITY

function summing({ query }: Pick<Queries, 'query'>): (tenantId: string) => Promise<number> {
  type Read = (tenantId: string, after: string) => Promise<Size[]>
  const size = sql<number>`coalesce(length(value), 0) + ${ROW_BYTES}`
  const sizesIn =
    (table: 'keys' | 'legacy_items' | 'proposals'): Read =>
    (tenantId, after) =>
      query
        .selectFrom(sql<StoredValueRow>`${sql.table(table)}`.as('stored'))
        .select(['id', size.as('bytes')])
        .where('tenant_id', '=', tenantId)
        .where('id', '>', after)
        .orderBy('id')
        .limit(ROWS_AT_ONCE)
        .execute()
  const versions: Read = (tenantId, after) =>
    selectOf(query, 'key_versions', tenantId)
      .select(['key_id as id', sql<number>`sum(${size})`.as('bytes')])
      .where('key_id', '>', after)
      .groupBy('key_id')
      .orderBy('key_id')
      .limit(ROWS_AT_ONCE)
      .execute()
  return async (tenantId) => {
    let total = 0
    for (const read of [...(['keys', 'legacy_items', 'proposals'] as const).map(sizesIn), versions]) {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const rows: Size[] = await read(tenantId, after)
        for (const { bytes } of rows) total += bytes
        after = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?.id
      }
    }
    return total
  }
}

type StoredValueRow = { tenant_id: string; id: string; value: Uint8Array | null }

type Size = { id: string; bytes: number }
