import { type Selectable, sql } from 'kysely'
import type { Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import type { EncryptedTable, StoredValue } from '../schema/encrypted.ts'
import * as modules from '../schema/modules.ts'
import { approvalKeyContext } from './approval-key-rows.ts'
import { boundProposal } from './proposal-values.ts'
import { type BoundRow, type ValueTable, valueContext } from './value-vault.ts'

const ROWS_AT_ONCE = 500

type ModuleRows = { encrypted: readonly EncryptedTable[] }

/** Everything that the keys of all tenants encrypt, or of one, some rows at a time.
 * @param start leaves out the rows whose values all begin with these bytes */
export async function* storedValues(
  query: Query,
  tenantId: string | null,
  start: Uint8Array | null = null,
): AsyncGenerator<readonly StoredValue[]> {
  const of = { tenantId, start, columns: ['value'] }
  yield* walk(query, {
    ...of,
    table: 'keys',
    valuesOf: (row: Selectable<Tables['keys']>) => valueIn('keys', row),
  })
  yield* walk(query, { ...of, table: 'key_versions', valuesOf: replaced })
  yield* walk(query, {
    ...of,
    table: 'legacy_items',
    valuesOf: (row: Selectable<Tables['legacy_items']>) => valueIn('legacy_items', row),
  })
  yield* walk(query, { ...of, table: 'proposals', valuesOf: proposed })
  yield* walk(query, { ...of, columns: ['public_key'], table: 'approval_keys', valuesOf: publicKeyIn })
  for (const { encrypted } of Object.values<ModuleRows>(modules))
    for (const each of encrypted) yield* walk(query, { ...of, ...each })
}

type ValueWalk<Row> = {
  table: string
  columns: readonly string[]
  tenantId: string | null
  start: Uint8Array | null
  valuesOf: (row: Row) => readonly StoredValue[]
}

async function* walk<Row extends object>(
  query: Query,
  { table, columns: names, tenantId, start, valuesOf }: ValueWalk<Row>,
) {
  const placeNames = table === 'key_versions' ? ['tenant_id', 'key_id', 'version'] : ['tenant_id', 'id']
  const place = sql.join(placeNames.map((name) => sql.ref(name)))
  const only = tenantId === null ? sql`1 = 1` : sql`tenant_id = ${tenantId}`
  const columns = names.map((name) => sql.ref(name))
  const begun = columns.map((column) => sql`substr(${column}, 1, ${start?.length ?? 0}) <> ${start}`)
  const others = start === null ? sql`1 = 1` : sql.join(begun, sql` or `)
  let after: unknown[] = ['', '', 0].slice(0, placeNames.length)
  for (;;) {
    const { rows } = await sql<Row>`select * from ${sql.table(table)}
      where ${only} and (${others}) and (${place}) > (${sql.join(after)})
      order by ${place} limit ${ROWS_AT_ONCE}`.execute(query)
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows.flatMap(valuesOf)
    const entries = new Map(Object.entries(end))
    after = placeNames.map((name) => entries.get(name))
  }
}

type ValueRow = BoundRow & { tenant_id: string; value: Uint8Array | null }

function valueIn(table: ValueTable, row: ValueRow, storedIn: string = table): readonly StoredValue[] {
  const { tenant_id: tenantId, id, value_version: version, value: blob } = row
  if (blob === null) return []
  const context = valueContext(tenantId, table, row)
  return [{ table: storedIn, column: 'value', tenantId, id, version, blob, context }]
}

// A replaced value stays bound to its place in the table keys.
function replaced(row: Selectable<Tables['key_versions']>): readonly StoredValue[] {
  return valueIn('keys', { ...row, id: row.key_id, value_version: row.version }, 'key_versions')
}

function proposed(row: Selectable<Tables['proposals']>): readonly StoredValue[] {
  return valueIn('proposals', { ...row, ...boundProposal(row) })
}

function publicKeyIn(row: Selectable<Tables['approval_keys']>): readonly StoredValue[] {
  const { tenant_id: tenantId, id, public_key: blob } = row
  const place = { table: 'approval_keys', column: 'public_key', tenantId, id, version: 1 } as const
  return [{ ...place, blob, context: approvalKeyContext(row) }]
}
