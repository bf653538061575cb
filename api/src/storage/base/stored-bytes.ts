import { LIMITS } from '@keyferry/contract'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import { sql } from 'kysely'
import { type Bounds, workspaceFull } from '../../domain/base/bounds.ts'
import type { Queries } from './queries.ts'
import { isWriteUndone } from './recording.ts'
import { selectOf } from './tenant-rows.ts'

const KNOWN_TENANTS = 10_000
const ROWS_AT_ONCE = 2_000
const READ_AGAIN_MS = 5_000
// Reading again takes at most 1/50 of the time; after a refusal, 1/10.
const REST = { usual: 50, refused: 10 } as const

type ByteCount = { bytes: number; wasRefused: boolean; readAgainAt: number }

/**
 * An estimate of the bytes that each tenant has stored, with some for each row, kept by this process. The sum is read
 * from the database at a tenant's first write and again from time to time; in between, only what this process writes is
 * added. A sum at each write would take longer the more is stored, and a counter in a row would make the writers of a
 * tenant wait for each other. So several writers together may pass the bound by what they write within a few seconds.
 */
export class StoredBytes {
  readonly #known = new BoundedMap<string, ByteCount>(KNOWN_TENANTS)
  readonly #readings = new Map<string, Promise<void>>()
  readonly #sum: (tenantId: string) => Promise<number>
  readonly #bounds: Bounds

  constructor(queries: Pick<Queries, 'query'>, bounds: Bounds) {
    this.#sum = summing(queries)
    this.#bounds = bounds
  }

  /** Call before a transaction that stores values. After a refusal it reads sooner: deletions may have made room. */
  async prepare(tenantId: string): Promise<void> {
    if (performance.now() < (this.#known.get(tenantId)?.readAgainAt ?? 0)) return
    const reading = this.#readings.get(tenantId) ?? this.#read(tenantId)
    this.#readings.set(tenantId, reading)
    await reading.finally(() => this.#readings.delete(tenantId))
  }

  /** @param valueBytes of one value that is stored
   * @throws DomainError workspace_full */
  add(tenantId: string, valueBytes: number): void {
    const known = this.#known.get(tenantId)
    if (known === undefined) return
    const bytes = valueBytes + LIMITS.storedRowBytes
    if (known.bytes + bytes > this.#bounds.tenantBytes) {
      if (!known.wasRefused) known.readAgainAt = 0
      known.wasRefused = true
      throw workspaceFull(this.#bounds)
    }
    if (!isWriteUndone()) known.bytes += bytes
  }

  async #read(tenantId: string): Promise<void> {
    const begunAt = performance.now()
    const wasRefused = this.#known.get(tenantId)?.wasRefused === true
    const bytes = await this.#sum(tenantId)
    const now = performance.now()
    const rest = (now - begunAt) * (wasRefused ? REST.refused : REST.usual)
    const readAgainAt = now + (wasRefused ? rest : Math.max(READ_AGAIN_MS, rest))
    this.#known.set(tenantId, { bytes, wasRefused: false, readAgainAt })
  }
}

const ROW_BYTES = sql.lit(LIMITS.storedRowBytes)

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
