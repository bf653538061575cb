import type { ValueContext } from '@keyferry/crypto/value-cipher'
import { type Selectable, sql } from 'kysely'
import { secretContext } from '../../webhooks/storage/webhook-secrets.ts'
import type { Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import { boundProposal } from './proposal-values.ts'
import { type BoundRow, type ValueTable, valueContext } from './value-vault.ts'

const ROWS_AT_ONCE = 500

type StoredIn = ValueTable | 'key_versions' | 'webhooks'

/** An encrypted value as a row holds it, and what it is bound to. `id`: of the key, item, proposal or webhook. */
export type StoredValue = {
  table: StoredIn
  column: 'value' | 'secret' | 'old_secret'
  tenantId: string
  id: string
  version: number
  blob: Uint8Array
  context: ValueContext
}

/** Everything that the keys of all tenants encrypt, or of one, some rows at a time.
 * @param start leaves out the rows whose values all begin with these bytes */
export async function* storedValues(
  query: Query,
  tenantId: string | null,
  start: Uint8Array | null = null,
): AsyncGenerator<readonly StoredValue[]> {
  const of = { tenantId, start }
  yield* walk(query, { ...of, table: 'keys', valuesOf: (row) => valueIn('keys', row) })
  yield* walk(query, { ...of, table: 'key_versions', valuesOf: replaced })
  yield* walk(query, { ...of, table: 'legacy_items', valuesOf: (row) => valueIn('legacy_items', row) })
  yield* walk(query, { ...of, table: 'proposals', valuesOf: proposed })
  yield* walk(query, { ...of, table: 'webhooks', valuesOf: secretsIn })
}

type Walk<Table extends StoredIn> = {
  table: Table
  tenantId: string | null
  start: Uint8Array | null
  valuesOf: (row: Selectable<Tables[Table]>) => readonly StoredValue[]
}

async function* walk<Table extends StoredIn>(
  query: Query,
  { table, tenantId, start, valuesOf }: Walk<Table>,
) {
  const names = table === 'key_versions' ? ['tenant_id', 'key_id', 'version'] : ['tenant_id', 'id']
  const place = sql.join(names.map((name) => sql.ref(name)))
  const only = tenantId === null ? sql`1 = 1` : sql`tenant_id = ${tenantId}`
  const columns = (table === 'webhooks' ? ['secret', 'old_secret'] : ['value']).map((name) => sql.ref(name))
  const begun = columns.map((column) => sql`substr(${column}, 1, ${start?.length ?? 0}) <> ${start}`)
  const others = start === null ? sql`1 = 1` : sql.join(begun, sql` or `)
  let after: unknown[] = ['', '', 0].slice(0, names.length)
  for (;;) {
    const { rows } = await sql<Selectable<Tables[Table]>>`select * from ${sql.table(table)}
      where ${only} and (${others}) and (${place}) > (${sql.join(after)})
      order by ${place} limit ${ROWS_AT_ONCE}`.execute(query)
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows.flatMap(valuesOf)
    const entries = new Map(Object.entries(end))
    after = names.map((name) => entries.get(name))
  }
}

type ValueRow = BoundRow & { tenant_id: string; value: Uint8Array | null }

function valueIn(table: ValueTable, row: ValueRow, storedIn: StoredIn = table): readonly StoredValue[] {
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

// After the secret of a webhook was replaced, the old one is good for a while.
function secretsIn(row: Selectable<Tables['webhooks']>): readonly StoredValue[] {
  const { tenant_id: tenantId, id, secret, secret_version: newest, old_secret: old } = row
  const at = (column: 'secret' | 'old_secret', blob: Uint8Array, version: number) => ({
    ...({ table: 'webhooks', column, tenantId, id, version, blob } as const),
    context: secretContext({ tenantId, webhookId: id, version }),
  })
  return [at('secret', secret, newest), ...(old === null ? [] : [at('old_secret', old, newest - 1)])]
}
