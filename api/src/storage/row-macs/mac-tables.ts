import { joined } from '@keyferry/contract/joined'
import { bundles } from '../schema/bundles.ts'
import type { Column, RowsOf } from '../schema/column.ts'
import * as modules from '../schema/modules.ts'
import { people } from '../schema/people.ts'

const SCHEMA = { ...people, ...joined(modules, 'tables'), ...bundles } as const

type SchemaRows = RowsOf<typeof SCHEMA>
type ColumnsOf<Table extends keyof SchemaRows> = readonly (keyof SchemaRows[Table] & string)[]

/** The tables whose rows give rights. A MAC covers every column but those in `free`, which decide nothing. A column
 * that a migration adds as null changes no MAC. */
const MAC_TABLES = {
  // The database raises the epoch, so no statement has a value that a MAC could cover.
  users: { key: ['id'], free: ['last_login', 'created_at', 'updated_at', 'epoch'] },
  person_links: { key: ['id'], free: ['created_at'] },
  tenants: {
    key: ['id'],
    free: [
      'owner_id',
      'name',
      'wrapped_key',
      'root_key_id',
      'created_at',
      'updated_at',
      'next_key',
      'old_key',
    ],
  },
  memberships: { key: ['id'], free: ['created_at'] },
  member_groups: { key: ['tenant_id', 'id'], free: [] },
  group_members: { key: ['tenant_id', 'group_id', 'user_id'], free: [] },
  invitations: { key: ['id'], free: [] },
  lasting_acts: { key: ['tenant_id', 'id'], free: [] },
  // The public key is encrypted for what the other columns say.
  approval_keys: {
    key: ['tenant_id', 'id'],
    free: ['public_key', 'name', 'transports', 'counter', 'last_used_at'],
  },
  ...joined(modules, 'macTables'),
  attachments: { key: ['tenant_id', 'bundle_id', 'key_id'], free: ['position'] },
  bundles: { key: ['id'], free: ['description', 'created_at', 'updated_at', 'updated_by'] },
  policies: { key: ['tenant_id', 'place'], free: [] },
  grants: { key: ['tenant_id', 'id'], free: ['uses', 'created_at', 'last_used_at'] },
} as const satisfies { [Table in keyof SchemaRows]?: { key: ColumnsOf<Table>; free: ColumnsOf<Table> } }

export type MacTable = keyof typeof MAC_TABLES

/** The columns of a MAC, beside those that it covers. */
export const MAC_COLUMNS = ['row_version', 'mac'] as const

type Covered = {
  /** Finds a row. */
  key: readonly string[]
  /** Sorted by name. */
  columns: readonly string[]
  /** Those that no row lacks. */
  required: readonly string[]
}

function coveredIn(table: MacTable): Covered {
  const { key, free } = MAC_TABLES[table]
  const left = new Set<string>([...free, ...MAC_COLUMNS])
  const columns: [string, Column<unknown>][] = Object.entries(SCHEMA[table].columns)
  const covered = columns.filter(([name]) => !left.has(name))
  return {
    key,
    columns: covered.map(([name]) => name).toSorted(),
    required: covered.flatMap(([name, { isNullable }]) => (isNullable ? [] : [name])),
  }
}

const known = new Map<MacTable, Covered>()

/** What the MAC of a row covers beside its version. */
export function coveredColumns(table: MacTable): Covered {
  const covered = known.get(table) ?? coveredIn(table)
  known.set(table, covered)
  return covered
}

export const MAC_TABLE_NAMES: readonly MacTable[] = Object.keys(MAC_TABLES).filter(isMacTable)

function isMacTable(name: string): name is MacTable {
  return Object.hasOwn(MAC_TABLES, name)
}

export function macTable(name: string): MacTable | null {
  return isMacTable(name) ? name : null
}
