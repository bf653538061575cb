import type { ValueContext } from '@keyferry/crypto/value-cipher'

/** An encrypted value as a row has it, and what it is bound to. `id`: of the key, item, proposal or other row. */
export type StoredValue = {
  table: string
  column: string
  tenantId: string
  id: string
  version: number
  blob: Uint8Array
  context: ValueContext
}

/** A table of an optional module with encrypted columns. */
export type EncryptedTable = {
  table: string
  columns: readonly string[]
  valuesOf: (row: never) => readonly StoredValue[]
}
