import type { Slice } from '../../domain/base/listing.ts'
import { inChunks } from '../../storage/base/chunks.ts'
import type { Query } from '../../storage/base/queries.ts'
import { inOneTenant } from '../../storage/base/statements.ts'
import { isFound, namesIn, selectOf } from '../../storage/base/tenant-rows.ts'

/* What the rest of the product asks about machines. */

export const noun = 'machines'

export async function getters(query: Query, tenantId: string) {
  const rows = await selectOf(query, 'machine_grants', { tenantId, scope: 'deliver' })
    .innerJoin('machines', (join) => join.on(inOneTenant('machines.id', 'machine_grants.machine_id')))
    .select(['machines.id', 'machines.name', 'bundle_id'])
    .where('machines.is_active', '=', 1)
    .execute()
  const byMachine = Map.groupBy(rows, ({ id }) => id)
  const proofs = await inChunks([...byMachine.keys()], (ids) => proofsOf(query, tenantId, ids))
  return [...byMachine].map(([id, granted]) => {
    const gets = new Set(granted.map(({ bundle_id }) => bundle_id))
    const is = proofs.flatMap((proof) => (proof.machine_id === id ? [proof.id] : []))
    return [id, { name: `machine ${granted[0]?.name}`, is, patterns: [], gets }] as const
  })
}

/** The tokens of machines that have not ended, and the trusts. */
async function proofsOf(query: Query, tenantId: string, ids: readonly string[]) {
  const trusts = selectOf(query, 'machine_trusts', tenantId)
    .select(['id', 'machine_id'])
    .where('machine_id', 'in', ids)
  return await selectOf(query, 'machine_tokens', tenantId)
    .select(['id', 'machine_id'])
    .where('machine_id', 'in', ids)
    .where('ended_at', 'is', null)
    .unionAll(trusts)
    .orderBy('id')
    .execute()
}

export function mayGet(query: Query, tenantId: string, bundleId: string): Promise<boolean> {
  return isFound(selectOf(query, 'machine_grants', { tenantId, bundle_id: bundleId, scope: 'deliver' }))
}

export async function facts(
  query: Query,
  tenantId: string,
  { ids, gettingFrom }: { ids: readonly string[]; gettingFrom: readonly string[] | null },
) {
  const getting = gettingFrom === null ? [] : await gettingAny(query, tenantId, gettingFrom)
  return inChunks([...new Set([...ids, ...getting])], (some) => factsOf(query, tenantId, some))
}

async function gettingAny(query: Query, tenantId: string, bundleIds: readonly string[]): Promise<string[]> {
  const granted = selectOf(query, 'machine_grants', tenantId).select('machine_id').distinct()
  const wanted = bundleIds.length === 0 ? granted : granted.where('bundle_id', 'in', bundleIds)
  return (await wanted.execute()).map(({ machine_id }) => machine_id)
}

async function factsOf(query: Query, tenantId: string, ids: readonly string[]) {
  const rows = await selectOf(query, 'machines', tenantId)
    .select(['id', 'name', 'is_active', 'reads_audit'])
    .where('id', 'in', ids)
    .execute()
  const grants = await selectOf(query, 'machine_grants', tenantId)
    .select(['machine_id', 'bundle_id', 'scope'])
    .where('machine_id', 'in', ids)
    .orderBy('bundle_id')
    .execute()
  const proofs = await proofsOf(query, tenantId, ids)
  return rows.map(({ id, name, is_active, reads_audit }) => {
    const own = grants.filter(({ machine_id }) => machine_id === id)
    return {
      id,
      name,
      is_active: is_active === 1,
      reads_audit: reads_audit === 1,
      proofs: proofs.flatMap((proof) => (proof.machine_id === id ? [proof.id] : [])),
      bundles: own.map(({ bundle_id }) => bundle_id),
      scopes: own.map(({ scope }) => scope),
    }
  })
}

export function named(query: Query, ids: readonly string[]) {
  return inChunks(ids, (some) =>
    query.selectFrom('machines').select(['id', 'name']).where('id', 'in', some).execute(),
  )
}

export function list(query: Query, tenantId: string, slice: Slice) {
  const wanted = namesIn(selectOf(query, 'machines', tenantId).select('name'), slice)
  return selectOf(query, 'machines', tenantId)
    .select(['id', 'name'])
    .where('name', 'in', wanted)
    .orderBy('name')
    .execute()
}
