import type { Plaintext } from '@keyferry/crypto/plaintext'
import { type TenantKeyRing, tenantKeyFor } from '@keyferry/crypto/tenant-key'
import {
  BLOB_OVERHEAD_BYTES,
  decryptValue,
  encryptValue,
  type ValueContext,
} from '@keyferry/crypto/value-cipher'
import { type RawBuilder, sql } from 'kysely'
import { LONG_VALUE_BYTES } from '../../domain/library/bundle-entry.ts'
import type { TemplateParts, TemplateUses } from '../../domain/library/template.ts'
import type { WantedValues } from '../../domain/library/wanted-values.ts'
import type { Query } from '../base/queries.ts'
import type { StoredBytes } from '../base/stored-bytes.ts'
import type { Flag } from '../base/tables.ts'
import type { TenantKeys } from './tenant-keys.ts'

export type ValueTable = 'keys' | 'legacy_items' | 'proposals'

/** The columns that a value is bound to, beside its tenant and table. */
export type BoundRow = {
  id: string
  name: string
  is_secret: Flag
  value_version: number
  /** Only keys have this column; every read of a key's value must select it. */
  template_parts?: string | null
}

/** `value` is null where it was not wanted. */
type StoredRow = BoundRow & { value: Uint8Array | null }

/** The column `value` of a read, null in each row whose value is not wanted: such a blob does not leave the database.
 * @param nameColumn has the names that a set of wanted values contains */
export function valueColumn(values: WantedValues, nameColumn: 'name' | 'delivered_name' = 'name') {
  return valueIf(isWanted(values, nameColumn))
}

function valueIf(condition: RawBuilder<unknown>) {
  return sql<Uint8Array | null>`case when ${condition} then value end`.as('value')
}

function isWanted(values: WantedValues, nameColumn: string): RawBuilder<unknown> {
  if (values === 'all') return sql`1 = 1`
  if (values === 'public') return sql`is_secret = 0`
  if (values === 'none' || values.size === 0) return sql`1 = 0`
  return sql`${sql.ref(nameColumn)} in (${sql.join([...values])})`
}

const LONG_BLOB_BYTES = sql.lit(LONG_VALUE_BYTES + BLOB_OVERHEAD_BYTES)

/** The columns of a list that may be as long as a bundle: `value`, and whether a wanted value was left out because it
 * is long. Values that are wanted by name are read at any length.
 * @param areShort if given, decides instead of its length whether each value is short */
export function listedColumns(
  values: WantedValues,
  nameColumn: 'name' | 'delivered_name' = 'name',
  areShort: RawBuilder<unknown> | null = null,
) {
  const wanted = isWanted(values, nameColumn)
  const isOfAny = values === 'public' || values === 'all'
  if (!isOfAny && areShort === null) return [valueIf(wanted), sql<Flag>`0`.as('is_long')] as const
  const isShort = areShort ?? sql`length(value) <= ${LONG_BLOB_BYTES}`
  // The names of a set are not sent twice.
  const isLong = isOfAny ? sql`${wanted} and not (${isShort})` : sql`not (${isShort})`
  const flag = sql<Flag>`case when ${isLong} then 1 else 0 end`.as('is_long')
  return [valueIf(sql`${wanted} and ${isShort}`), flag] as const
}

/** Of a row's `template_parts`, each name once. */
export function partsIn(stored: string | null): TemplateParts {
  const uses = usesIn(stored)
  return uses && [...new Set(uses)]
}

/** Of a row's `template_parts`, a name for each use. */
export function usesIn(stored: string | null): TemplateUses {
  if (stored === null) return null
  return stored === '' ? [] : stored.split(' ')
}

/** The column `template_parts`: names contain no space. */
export function storedUses(uses: TemplateUses): string | null {
  return uses?.join(' ') ?? null
}

/** The size of a stored value in bytes, taken from the length of its blob. Neither database reads a blob for it. */
export const VALUE_BYTES = sql<number>`length(value) - ${sql.lit(BLOB_OVERHEAD_BYTES)}`.as('bytes')

/** The values of one table at rest. Each is encrypted for its tenant, row, version, name, mark (secret or not) and
 * the names that it is built from, so a row that was edited in the database gives an error and never a value. A change
 * of any of them encrypts again. */
export class ValueVault {
  readonly #tenantKeys: TenantKeys
  readonly #table: ValueTable
  readonly #stored: StoredBytes | null

  /** @param stored counts what is stored; null: without a bound */
  constructor(tenantKeys: TenantKeys, table: ValueTable, stored: StoredBytes | null = null) {
    this.#tenantKeys = tenantKeys
    this.#table = table
    this.#stored = stored
  }

  /** Call before each transaction that stores values.
   * @returns what this transaction calls once to encrypt; if it also locks the tenant, it must do that first */
  async toWrite(tenantId: string): Promise<(transaction: Query) => Promise<TenantVault>> {
    await this.#stored?.prepare(tenantId)
    return async (transaction) => {
      const keys = await this.#tenantKeys.locked(transaction, tenantId)
      return {
        ...this.#reading(tenantId, keys),
        encrypt: (plaintext, row) => {
          const value = encryptValue(plaintext, keys[0], valueContext(tenantId, this.#table, row))
          this.#stored?.add(tenantId, value.length)
          return { ...row, value }
        },
      }
    }
  }

  /** What decrypts values of one tenant. It does not query the database, so you can use it within a transaction;
   * getting it may query, so do that before the transaction begins. */
  async of(tenantId: string): Promise<ReadingVault> {
    return this.#reading(tenantId, await this.#tenantKeys.of(tenantId))
  }

  #reading(tenantId: string, keys: TenantKeyRing): ReadingVault {
    const open = (value: Uint8Array, row: BoundRow) =>
      decryptValue(value, tenantKeyFor(value, keys), valueContext(tenantId, this.#table, row))
    return { open: (row) => (row.value === null ? null : open(row.value, row)) }
  }
}

/** What a stored value is bound to. */
export function valueContext(tenantId: string, table: ValueTable, row: BoundRow): ValueContext {
  const { id, name, is_secret, value_version, template_parts = null } = row
  const place = { tenantId, table, rowId: id, column: 'value', version: value_version }
  return { ...place, name, isSecret: is_secret === 1, templateParts: template_parts }
}

export type ReadingVault = {
  /** @returns null for a row whose value was not read
   * @throws CryptoError bad_blob or wrong_key: the row was changed or moved */
  open: (row: StoredRow) => Plaintext | null
}

export type TenantVault = ReadingVault & {
  /** The row with its column `value`.
   * @throws DomainError workspace_full */
  encrypt: <Row extends BoundRow>(plaintext: Plaintext, row: Row) => Row & { value: Uint8Array }
}

/** Decrypt the values of rows by what the column `entry` contains, a delivered name or an id; rows without a value are
 * left out. */
export function openedByName(
  { open }: ReadingVault,
  rows: readonly (StoredRow & { entry: string })[],
): ReadonlyMap<string, Plaintext> {
  const values = rows.map((row) => [row.entry, open(row)] as const)
  return new Map(values.filter((entry): entry is [string, Plaintext] => entry[1] !== null))
}
