import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { madeByOperator, ofTenant } from '../../domain/base/event.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { markSealed } from '../keys-at-rest/audit-keys.ts'
import { sealRows } from '../keys-at-rest/row-sealing.ts'
import { noteRules } from '../rules/noted-rules.ts'
import { type RowSeals, type SealedWrite, versionText } from '../seals/row-seals.ts'
import { knownVersions } from './known-versions.ts'

type Accepting = { seals: RowSeals; ring: RootKeyRing; now: string }

/** Seal the rows that `foreignRows` finds, record which, and refuse rows without a seal from now on.
 * @returns these rows */
export async function acceptRows(
  { query, write, holdToChange }: Queries,
  { seals, ring, now }: Accepting,
): Promise<SealedWrite[]> {
  const sealing = { seals, known: await knownVersions(query) }
  // The first time, these are all rows: no transaction holds many of them, because nodes go on writing.
  const before = seals.areRequired ? [] : await sealFirst({ write, holdToChange }, sealing)
  const rows = await write(async (transaction) => {
    await noteRules(transaction, holdToChange)
    const all = [...before, ...(await sealRows((work) => work(transaction), holdToChange, sealing))]
    await record(transaction, all, now)
    await markSealed(transaction, ring)
    return all
  })
  seals.areRequired = true
  return rows
}

async function sealFirst(
  { write, holdToChange }: Pick<Queries, 'write' | 'holdToChange'>,
  sealing: Parameters<typeof sealRows>[2],
): Promise<SealedWrite[]> {
  await write((transaction) => noteRules(transaction, holdToChange))
  return sealRows(write, holdToChange, sealing)
}

/** Rows of the whole server are recorded in every log. */
async function record(transaction: Recorded, rows: readonly SealedWrite[], now: string): Promise<void> {
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
