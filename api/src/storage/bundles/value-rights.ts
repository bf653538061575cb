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

/** By the bundle's id. */
export async function rightsOfBundles(
  query: Query,
  tenantId: string,
  bundleIds: readonly string[],
): Promise<ReadonlyMap<string, BundleRights>> {
  const [workspace, rows] = await Promise.all([
    changersOfWorkspace(query, tenantId),
    inChunks(bundleIds, (ids) => ask(query, rulesOf(query, tenantId, ids))),
  ])
  return new Map(
    rows.map(({ id, created_by, production, ...rules }) => {
      const isRuled = production === 'yes' || Object.values(rules).some((rule) => rule !== null)
      return [id, { created_by, changers: changersOfBundle(workspace, rules.changers), isRuled }]
    }),
  )
}

function rulesOf(query: Query, tenantId: string, bundleIds: readonly string[]) {
  return selectOf(query, 'bundles', tenantId)
    .leftJoin('bundle_policies', (join) => join.on(inOneTenant('bundle_policies.bundle_id', 'bundles.id')))
    .where('bundles.id', 'in', bundleIds)
    .select([
      'bundles.id',
      'bundles.created_by',
      'production',
      'assurance',
      'approvers',
      'changers',
      'approvals_needed',
      'agents',
      'touch',
    ])
    .select('remember_hours')
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

/** The secret keys of bundles, once for each other bundle (`others`) that holds them. */
export function secretsElsewhere(query: Query, tenantId: string, bundleIds: readonly string[]) {
  return keysAttached(query, tenantId)
    .innerJoin('attachments as others', (join) =>
      join
        .on(inOneTenant('others.key_id', 'attachments.key_id'))
        .onRef('others.bundle_id', '<>', 'attachments.bundle_id'),
    )
    .where('attachments.bundle_id', 'in', bundleIds)
    .where('keys.is_secret', '=', flag(true))
}
