import type { Changers } from '@keyferry/contract'
import { isIn } from '../../domain/approvals/policy.ts'
import { type BundleRights, changersAt } from '../../domain/library/value-rights.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import type { Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { flag } from '../base/tables.ts'
import { FOLDER_HAS_BUNDLE, keysAttached, selectOf } from '../base/tenant-rows.ts'

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
  return new Map(keyIds.map((id) => [id, changersAt([...workspace, ...(places.get(id) ?? [])])]))
}

/** By the bundle's id. */
export async function rightsOfBundles(
  query: Query,
  tenantId: string,
  bundleIds: readonly string[],
): Promise<ReadonlyMap<string, BundleRights>> {
  const [workspace, rows, folders] = await Promise.all([
    changersOfWorkspace(query, tenantId),
    inChunks(bundleIds, (ids) => ask(query, rulesOf(query, tenantId, ids))),
    ask(query, selectOf(query, 'folder_policies', tenantId).select(['folder', ...RULES])),
  ])
  return new Map(
    rows.map(({ id, name, created_by, production, ...own }) => {
      const over = folders.flatMap(({ folder, ...rules }) => (isIn(folder, name) ? [rules] : []))
      const places = [own, ...over]
      const isRuled =
        production === 'yes' || places.some((rules) => Object.values(rules).some((rule) => rule !== null))
      return [id, { created_by, changers: changersAt([...workspace, ...places]), isRuled }]
    }),
  )
}

const RULES = [
  'assurance',
  'approvers',
  'changers',
  'approvals_needed',
  'agents',
  'touch',
  'remember_hours',
] as const

function rulesOf(query: Query, tenantId: string, bundleIds: readonly string[]) {
  return selectOf(query, 'bundles', tenantId)
    .leftJoin('bundle_policies', (join) => join.on(inOneTenant('bundle_policies.bundle_id', 'bundles.id')))
    .where('bundles.id', 'in', bundleIds)
    .select(['bundles.id', 'bundles.name', 'bundles.created_by', 'production', ...RULES])
}

function changersOfWorkspace(query: Query, tenantId: string) {
  return ask(query, selectOf(query, 'tenant_policies', tenantId).select('changers'))
}

async function placesOf(query: Query, tenantId: string, keyIds: readonly string[]) {
  const held = selectOf(query, 'attachments', tenantId)
    .where('attachments.key_id', 'in', keyIds)
    .select('attachments.key_id')
    .distinct()
  const [ofBundles, ofFolders] = await Promise.all([
    ask(
      query,
      held
        .innerJoin('bundle_policies', (join) =>
          join.on(inOneTenant('bundle_policies.bundle_id', 'attachments.bundle_id')),
        )
        .select('changers'),
    ),
    ask(
      query,
      held
        .innerJoin('bundles', (join) => join.on(inOneTenant('bundles.id', 'attachments.bundle_id')))
        .innerJoin('folder_policies', (join) => join.on(FOLDER_HAS_BUNDLE))
        .select('changers'),
    ),
  ])
  return [...ofBundles, ...ofFolders]
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
