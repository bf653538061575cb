import type { AuditKey } from '@keyferry/crypto/audit-key'
import { isRowMac, rowMac } from '@keyferry/crypto/row-mac'
import { BoundedMap } from '@keyferry/plumbing/bounded-map'
import { DomainError } from '../../domain/base/errors.ts'
import { coveredColumns, type MacTable } from './mac-tables.ts'

const KNOWN_ROWS = 10_000

export type RowValues = Readonly<Record<string, unknown>>

/** The names that columns have in a row. */
export type Places = readonly (readonly [column: string, place: string])[]

/** A version that a row that decides got, or lost with the row. `tenantId` null: its table is of the whole server. */
export type MacWrite = { table: MacTable; name: string; version: number; tenantId: string | null }

/** As an event has it. */
export function versionText({ table, name, version }: MacWrite): string {
  return `${table} ${name} ${version}`
}

export function writeOf(table: MacTable, row: RowValues): MacWrite {
  const { tenant_id: tenantId = table === 'tenants' ? row['id'] : null, row_version: version } = row
  return {
    table,
    name: nameOf(table, row),
    version: Number(version),
    tenantId: typeof tenantId === 'string' ? tenantId : null,
  }
}

/** The end of a row: one that is put back has an older version. */
export function endOf(table: MacTable, row: RowValues): MacWrite {
  const write = writeOf(table, row)
  return { ...write, version: write.version + 1 }
}

// The log leaves messages out, so the row is its code.
class RowNotWrittenByServer extends Error {
  override readonly name = 'RowNotWrittenByServer'
  readonly code: string

  constructor(row: string) {
    super(`${row}: run keyferry-server audit-verify`)
    this.code = row
  }
}

/** @param row its table and key */
export function changedPastServer(row: string): DomainError {
  const cause = new RowNotWrittenByServer(row)
  return new DomainError('internal', 'a row of the database was changed past the server', { cause })
}

/** Makes the MACs of rows of the tables that decide, and checks them. Without a key, which only a process with the root
 * key has, it does neither. */
export class RowMacs {
  key: AuditKey['rows'] | null
  /** One for all nodes: a right that ended and is given again must get a newer version than it had. */
  nowMs: () => number = Date.now
  // By their MACs. Most calls read the same few rows, and comparing one takes a twentieth of its MAC.
  readonly #whole = new BoundedMap<string, { table: MacTable; row: RowValues }>(KNOWN_ROWS)

  constructor(key: AuditKey['rows'] | null = null) {
    this.key = key
  }

  /** The columns of the MAC of a row. `above`: the version that the row had. */
  of(table: MacTable, row: RowValues, above = 0): { row_version: number; mac: Uint8Array } | null {
    if (this.key === null) return null
    const version = Math.max(above + 1, this.nowMs())
    return { row_version: version, mac: rowMac({ table, version, values: valuesOf(table, row) }, this.key) }
  }

  isWhole(table: MacTable, row: RowValues): boolean {
    const { row_version: version, mac } = row
    if (this.key === null) return true
    if (typeof version !== 'number' || !(mac instanceof Uint8Array)) return false
    const isWhole = isRowMac(mac, { table, version, values: valuesOf(table, row) }, this.key)
    if (isWhole) this.#whole.set(nameOfMac(mac), { table, row })
    return isWhole
  }

  /** Whether this row, with its columns at these places, was found whole before. */
  isKnown(table: MacTable, row: RowValues, places: Places): boolean {
    const mac = row[places.at(-1)?.[1] ?? '']
    if (!(mac instanceof Uint8Array)) return false
    const known = this.#whole.get(nameOfMac(mac))
    if (known?.table !== table) return false
    for (const [column, place] of places)
      if (known.row[column] !== row[place] && column !== 'mac') return false
    return true
  }

  /** @throws DomainError internal: no server wrote this row, or another program changed it */
  require(table: MacTable, row: RowValues): void {
    if (this.isWhole(table, row)) return
    throw changedPastServer(`${table} ${nameOf(table, row)}`)
  }

  /** Rows with their MACs, for a statement that inserts them or changes them.
   * @throws Error: a column that decides is missing */
  withMacs<Row extends object>(table: MacTable, rows: readonly Row[]): Row[] {
    return rows.map((row) => {
      const values: RowValues = Object.fromEntries(Object.entries(row))
      const missing = coveredColumns(table).required.filter((column) => values[column] === undefined)
      if (missing.length > 0) throw new Error(`rows of ${table} need ${missing.join(', ')}`)
      return { ...row, ...this.of(table, values) }
    })
  }
}

/** A row by its key, as an operator finds it. */
function nameOf(table: MacTable, row: RowValues): string {
  return coveredColumns(table)
    .key.map((column) => String(row[column]))
    .join(' ')
}

function nameOfMac({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

function valuesOf(table: MacTable, row: RowValues) {
  return coveredColumns(table).columns.map((column) => [column, stored(row[column])] as const)
}

function stored(value: unknown): string | number | Uint8Array | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array) return value
  throw new Error(`a column that decides contains a ${typeof value}`)
}
