import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { frame } from './frame.ts'

/** A row of a table, with the columns that decide and their values, sorted by name. */
export type MacRow = {
  readonly table: string
  /** Only grows. */
  readonly version: number
  readonly values: readonly (readonly [column: string, value: string | number | Uint8Array | null])[]
}

/** HMAC-SHA256 that only a process with the root key can make.
 * @returns 32 bytes */
export function rowMac({ table, version, values }: MacRow, key: KeyObject): Uint8Array {
  const framed = frame('keyferry row v1', table, String(version), ...values.flatMap(typed))
  return createHmac('sha256', key).update(framed).digest()
}

export function isRowMac(mac: Uint8Array, row: MacRow, key: KeyObject): boolean {
  const expected = rowMac(row, key)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}

// With its type, so that an empty text and 0 differ. A null is left out, so that a new column changes no MAC. The
// databases store text well-formed.
function typed([column, value]: MacRow['values'][number]): readonly (string | Uint8Array)[] {
  if (value === null) return []
  if (typeof value === 'number') return [column, 'number', String(value)]
  return typeof value === 'string' ? [column, 'text', value.toWellFormed()] : [column, 'bytes', value]
}
