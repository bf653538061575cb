import type { Plaintext } from '@keyferry/crypto/plaintext'
import { BLOB_OVERHEAD_BYTES, decryptValue, encryptValue } from '@keyferry/crypto/value-cipher'
import { type RawBuilder, sql } from 'kysely'
import type { WantedValues } from '../domain/wanted-values.ts'
import type { TenantKeys } from './tenant-keys.ts'

export type ValueTable = 'keys' | 'legacy_items'

export type SealedColumns = { value: Uint8Array; value_version: number }

/** `value` is null where it was not wanted. */
type StoredValue = {
  id: string
  value: Uint8Array | null
  value_version: number
}

/** The column `value` of a read, null in each row whose value is not wanted: such a blob does not leave the database. */
export function valueColumn(values: WantedValues) {
  return wantedValue(values).as('value')
}

function wantedValue(values: WantedValues): RawBuilder<Uint8Array | null> {
  if (values === 'all') return sql.ref('value')
  if (values === 'public') return sql`case when is_secret = 0 then value end`
  if (values === 'none' || values.size === 0) return sql`null`
  return sql`case when name in (${sql.join([...values])}) then value end`
}

/** The size of a stored value in bytes, taken from the length of its blob. Neither database reads a blob for it. */
export const VALUE_BYTES = sql<number>`length(value) - ${sql.lit(BLOB_OVERHEAD_BYTES)}`.as('bytes')

/** Values at rest in one table: each is encrypted for its tenant, row and version, and opens nowhere else. */
export class ValueVault {
  readonly #tenantKeys: TenantKeys
  readonly #table: ValueTable

  constructor(tenantKeys: TenantKeys, table: ValueTable) {
    this.#tenantKeys = tenantKeys
    this.#table = table
  }

  /** The function that seals values of one tenant into the two columns that hold them. It asks the database for
   * nothing, so it may be used within a transaction; making it may ask. */
  async sealer(
    tenantId: string,
  ): Promise<(plaintext: Plaintext, rowId: string, version: number) => SealedColumns> {
    const key = await this.#tenantKeys.of(tenantId)
    return (plaintext, rowId, version) => ({
      value: encryptValue(plaintext, key, this.#place({ tenantId, rowId, version })),
      value_version: version,
    })
  }

  /** The function that opens the rows of one tenant.
   * @returns null for a row whose value was not read; throws CryptoError for one that was changed or moved */
  async opener(tenantId: string): Promise<(row: StoredValue) => Plaintext | null> {
    const key = await this.#tenantKeys.of(tenantId)
    return ({ id, value, value_version }) => {
      if (value === null) return null
      return decryptValue(value, key, this.#place({ tenantId, rowId: id, version: value_version }))
    }
  }

  #place({ tenantId, rowId, version }: { tenantId: string; rowId: string; version: number }) {
    return { tenantId, table: this.#table, rowId, column: 'value', version }
  }
}
