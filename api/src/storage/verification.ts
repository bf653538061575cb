import { CryptoError } from '@keyferry/crypto/crypto-error'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Query } from './queries.ts'
import { TenantKeys } from './tenant-keys.ts'
import { type ValueTable, ValueVault } from './value-vault.ts'

const ROWS_AT_ONCE = 500

type ValueFailure = { table: ValueTable; id: string; tenantId: string; problem: string }

export type Verification = { checked: number; failures: readonly ValueFailure[] }

/** Open every value there is. */
export async function verifyStoredValues(query: Query, ring: RootKeyRing): Promise<Verification> {
  const tenantKeys = new TenantKeys(query, ring)
  const failures: ValueFailure[] = []
  let checked = 0
  for (const table of ['keys', 'legacy_items'] as const) {
    const vault = new ValueVault(tenantKeys, table)
    for await (const rows of allRows(query, table)) {
      checked += rows.length
      for (const row of rows) failures.push(...(await failureOf(vault, table, row)))
    }
  }
  return { checked, failures }
}

type Rows = Awaited<ReturnType<typeof someRows>>

async function* allRows(query: Query, table: ValueTable): AsyncGenerator<Rows> {
  let last: RowPlace = { tenant_id: '', id: '' }
  for (;;) {
    const rows = await someRows(query, table, last)
    yield rows
    const end = rows.at(-1)
    if (!end) return
    last = end
  }
}

type RowPlace = { readonly tenant_id: string; readonly id: string }

function someRows(query: Query, table: ValueTable, after: RowPlace) {
  return query
    .selectFrom(table)
    .select(['id', 'tenant_id', 'name', 'value', 'value_version', 'is_secret'])
    .where((columns) =>
      columns(columns.refTuple('tenant_id', 'id'), '>', columns.tuple(after.tenant_id, after.id)),
    )
    .orderBy('tenant_id')
    .orderBy('id')
    .limit(ROWS_AT_ONCE)
    .execute()
}

async function failureOf(vault: ValueVault, table: ValueTable, row: Rows[number]): Promise<ValueFailure[]> {
  try {
    const { open } = await vault.of(row.tenant_id)
    open(row)
    return []
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error
    return [{ table, id: row.id, tenantId: row.tenant_id, problem: error.message }]
  }
}
