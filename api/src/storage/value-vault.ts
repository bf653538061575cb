import type { Plaintext } from '@keyferry/crypto/plaintext'
import { decryptValue, encryptValue } from '@keyferry/crypto/value-cipher'
import { sql } from 'kysely'
import type { Opening } from '../domain/opening.ts'
import type { Flag } from './tables.ts'
import type { TenantKeys } from './tenant-keys.ts'

export type ValueTable = 'keys' | 'legacy_items'

export type SealedColumns = { value: Uint8Array; value_version: number }

/** `value` is null where it was not read because it stays closed. */
type StoredValue = {
  id: string
  name: string
  is_secret: Flag
  value: Uint8Array | null
  value_version: number
}

/** In place of the column `value` in a read that shows no secrets: their blobs are neither fetched nor copied then. */
export const VALUE_UNLESS_SECRET = sql<Uint8Array | null>`case when is_secret = 0 then value end`

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

  /** The function that opens the rows of one tenant, as far as `opening` wants them open.
   * @returns null for a row that stays closed; throws CryptoError for one that was changed or moved */
  async opener(tenantId: string, opening: Opening): Promise<(row: StoredValue) => Plaintext | null> {
    const key = await this.#tenantKeys.of(tenantId)
    return ({ id, name, is_secret, value, value_version }) => {
      if (value === null || !opening({ name, is_secret: is_secret === 1 })) return null
      return decryptValue(value, key, this.#place({ tenantId, rowId: id, version: value_version }))
    }
  }

  #place({ tenantId, rowId, version }: { tenantId: string; rowId: string; version: number }) {
    return { tenantId, table: this.#table, rowId, column: 'value', version }
  }
}
