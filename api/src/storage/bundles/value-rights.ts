import type { Changers } from '@keyferry/contract'
import { type BundleRights, changersOfBundle, changersOfKey } from '../../domain/library/value-rights.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { flag } from '../base/tables.ts'
import { keysAttached, selectOf } from '../base/tenant-rows.ts'

/** Who may change each key, by its id. */
export async function changersOf(
  query: Query,
  tenantId: string,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, Changers>> {
  const [workspace, rows] = await Promise.all([
    changersOfWorkspace(query, tenantId),
    inChunks(keyIds, (ids) => placesOf(query, tenantId, ids)),
  ])
  const places = Map.groupBy(rows, ({ key_id }) => key_id)
  return new Map(keyIds.map((id) => [id, changersOfKey(workspace, places.get(id) ?? [])]))
}

/** Null: the tenant has no such bundle. */
export async function rightsOfBundle(
  query: Query,
  tenantId: string,
  bundleId: string,
): Promise<BundleRights | null> {
  const rightsRows = selectOf(query, 'bundles', { tenantId, id: bundleId })
    .leftJoin('bundle_policies', (join) => join.on(inOneTenant('bundle_policies.bundle_id', 'bundles.id')))
    .select([
      'bundles.created_by',
      'production',
      'assurance',
      'approvers',
      'changers',
      'approvals_needed',
      'agents',
    ])
    .select('remember_hours')
  const [workspace, [row]] = await Promise.all([changersOfWorkspace(query, tenantId), ask(query, rightsRows)])
  if (!row) return null
  const { created_by, production, ...rules } = row
  const isRuled = production === 'yes' || Object.values(rules).some((rule) => rule !== null)
  return { created_by, changers: changersOfBundle(workspace, rules.changers), isRuled }
}

async function changersOfWorkspace(query: Query, tenantId: string): Promise<Changers | null> {
  const [row] = await ask(query, selectOf(query, 'tenant_policies', tenantId).select('changers'))
  return row?.changers ?? null
}

function placesOf(query: Query, tenantId: string, keyIds: readonly string[]) {
  const places = selectOf(query, 'attachments', tenantId)
    .leftJoin('bundle_policies', (join) =>
      join.on(inOneTenant('bundle_policies.bundle_id', 'attachments.bundle_id')),
    )
    .select(['attachments.key_id', 'bundle_policies.changers'])
    .distinct()
    .where('attachments.key_id', 'in', keyIds)
  return ask(query, places)
}

/** The secret keys of a bundle, once for each other bundle (`others`) that holds them. */
export function secretsElsewhere(query: Query, tenantId: string, bundleId: string) {
  return keysAttached(query, tenantId)
    .innerJoin('attachments as others', (join) =>
      join
        .on(inOneTenant('others.key_id', 'attachments.key_id'))
        .onRef('others.bundle_id', '<>', 'attachments.bundle_id'),
    )
    .where('attachments.bundle_id', '=', bundleId)
    .where('keys.is_secret', '=', flag(true))
}
