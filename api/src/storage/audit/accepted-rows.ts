import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { madeByOperator, ofTenant } from '../../domain/base/event.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { markMacsRequired } from '../keys-at-rest/audit-keys.ts'
import { addMacs } from '../keys-at-rest/missing-macs.ts'
import { type MacWrite, type RowMacs, versionText } from '../row-macs/row-macs.ts'
import { noteRules } from '../rules/noted-rules.ts'
import { knownVersions } from './known-versions.ts'

type Accepting = { rowMacs: RowMacs; ring: RootKeyRing; now: string }

/** Give the rows that `foreignRows` finds their MACs, record which, and refuse rows without one from now on.
 * @returns these rows */
export async function acceptRows(
  { query, write, lockToChange }: Queries,
  { rowMacs, ring, now }: Accepting,
): Promise<MacWrite[]> {
  const checking = { rowMacs, known: await knownVersions(query) }
  // The first time, these are all rows: no transaction locks many of them, because nodes go on writing.
  const before = rowMacs.areRequired ? [] : await addFirstMacs({ write, lockToChange }, checking)
  const rows = await write(async (transaction) => {
    await noteRules(transaction, lockToChange)
    const all = [...before, ...(await addMacs((work) => work(transaction), lockToChange, checking))]
    await record(transaction, all, now)
    await markMacsRequired(transaction, ring)
    return all
  })
  rowMacs.areRequired = true
  return rows
}

async function addFirstMacs(
  { write, lockToChange }: Pick<Queries, 'write' | 'lockToChange'>,
  checking: Parameters<typeof addMacs>[2],
): Promise<MacWrite[]> {
  await write((transaction) => noteRules(transaction, lockToChange))
  return addMacs(write, lockToChange, checking)
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
