import { madeByOperator, ofTenant } from '../../domain/base/event.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { addMacs } from '../keys-at-rest/missing-macs.ts'
import { type MacWrite, type RowMacs, versionText } from '../row-macs/row-macs.ts'
import { noteRules } from '../rules/noted-rules.ts'
import { knownVersions } from './known-versions.ts'

type Accepting = { rowMacs: RowMacs; now: string }

/** Give the rows that `foreignRows` finds their MACs, and record which.
 * @returns these rows */
export async function acceptRows(
  { query, write, lockToChange }: Queries,
  { rowMacs, now }: Accepting,
): Promise<MacWrite[]> {
  const checking = { rowMacs, known: await knownVersions(query) }
  return write(async (transaction) => {
    await noteRules(transaction, lockToChange)
    const rows = await addMacs(transaction, lockToChange, checking)
    await record(transaction, rows, now)
    return rows
  })
}

/** Rows of the whole server are recorded in every log. */
async function record(transaction: Recorded, rows: readonly MacWrite[], now: string): Promise<void> {
  const byTenant = Map.groupBy(rows, ({ tenantId }) => tenantId)
  const ofAll = byTenant.get(null) ?? []
  for (const tenantId of await tenants(transaction)) {
    const own = [...ofAll, ...(byTenant.get(tenantId) ?? [])]
    if (own.length === 0) continue
    const data = { count: own.length, names: own.map(({ table, name }) => `${table} ${name}`) }
    const target = ofTenant(tenantId)
    const event = { ...madeByOperator(now), tenantId, action: 'audit.accepted', target, data } as const
    transaction.record({ ...event, rows: own.map(versionText) })
  }
}

async function tenants(query: Query): Promise<string[]> {
  const rows = await query.selectFrom('tenants').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}
