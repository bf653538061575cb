import { LIMITS } from '@keyferry/contract'
import { sql } from 'kysely'
import { tooManyBundles } from '../../domain/base/bounds.ts'
import { madeBy } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Slice } from '../../domain/base/listing.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import {
  type Bundle,
  type BundleChange,
  type BundleFilter,
  type BundleStore,
  type BundleSuggestion,
  bundleNameTaken,
  bundleNotFound,
  type NewBundle,
} from '../../domain/library/bundle.ts'
import { mayEditBundle, requireRight } from '../../domain/library/value-rights.ts'
import type { Caller } from '../../domain/people/membership.ts'
import { reaches } from '../../domain/people/reach.ts'
import { inChunks } from '../base/chunks.ts'
import { isTaken, refusing } from '../base/database.ts'
import { ask } from '../base/pipeline.ts'
import { preparedStatement } from '../base/prepared.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing, hasChanged } from '../base/statements.ts'
import { countOf, deleteOf, namesIn, selectOf, updateOf } from '../base/tenant-rows.ts'
import { contains, containsInAnyCase } from '../base/text-search.ts'
import { endGrants } from '../people/grant-ends.ts'
import { programs } from '../programs/programs.ts'
import { REACH, withReach } from '../reach/membership-reach.ts'
import { reachOf, wholeOf } from '../reach/reached-rows.ts'
import { bundleEvent } from './bundle-changes.ts'
import { takeRules } from './policy-changes.ts'
import { rightsOfBundles, secretsElsewhere } from './value-rights.ts'

export function createBundleStore(queries: Queries): BundleStore {
  const { query, write } = queries
  return {
    insert: changing(queries, createBundle),
    update: (change, stamp, editor) =>
      refusing(isTaken, bundleNameTaken, () =>
        write(async (transaction) => {
          await update(transaction, change, stamp)
          if (change.name !== undefined) await requireEditor(transaction, change.bundleId, editor)
        }),
      ),
    find: finder(query),
    rights: (tenantId, bundleIds, known) =>
      rightsOfBundles({ query, reach: reachOf(query) }, tenantId, bundleIds, known),
    sharedSecrets: (tenantId, taken) => sharedSecrets(wholeOf(query), tenantId, taken),
    list: (tenantId, filter, slice) => list(query, { tenantId, filter, slice }),
    isGiven: (tenantId, bundleId) => programs.mayGet(query, tenantId, bundleId),
    findSuggested: (userId, suggestion) => findSuggested(query, userId, suggestion),
    findNamed: (tenantId, names) => findNamed(query, tenantId, names),
    count: (tenantId, filter) => countOf(matching(query, tenantId, filter)),
    delete: changing(queries, remove),
  }
}

/** Add a bundle in a transaction and record that.
 * @returns false when the tenant has a bundle of this name */
export async function createBundle(transaction: Recorded, bundle: NewBundle, stamp: Stamp): Promise<boolean> {
  if (!(await insertBundle(transaction, bundle))) return false
  transaction.record(bundleEvent(bundle, stamp, { action: 'bundle.created' }))
  return true
}

/** @returns false when the tenant has a bundle of this name
 * @throws DomainError workspace_full, which undoes the transaction */
export async function insertBundle(transaction: Query, bundle: NewBundle): Promise<boolean> {
  const insertion = transaction
    .insertInto('bundles')
    .values(bundle)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doNothing())
  if (!(await hasChanged(insertion))) return false
  const bundles = await countOf(selectOf(transaction, 'bundles', bundle.tenant_id))
  if (bundles > LIMITS.bundles) throw tooManyBundles()
  return true
}

const CHANGEABLE = ['name', 'description', 'tags'] as const

async function update(
  transaction: Recorded,
  { bundleId: id, expected, ...fields }: BundleChange & { bundleId: string },
  stamp: Stamp,
): Promise<void> {
  if (expected !== undefined || fields.name !== undefined) {
    const locked = await lockBundle(transaction, id, stamp)
    requireExpected({ ...fields, expected }, locked)
    const { name = locked.name, tags = locked.tags } = fields
    const to = { name, tags, production: locked.production }
    if (name !== locked.name) {
      await endLeft(transaction, { id, from: locked.name, to: name }, stamp)
      await takeRules(transaction, { id, from: { id, name: locked.name }, to }, stamp)
    }
  }
  const row = await updateOf(transaction, 'bundles', { tenantId: stamp.tenantId, id })
    .set({ ...fields, updated_at: stamp.at, updated_by: stamp.by })
    .returning(['id', 'name'])
    .executeTakeFirst()
  if (!row) throw bundleNotFound()
  const data = { changed: CHANGEABLE.filter((field) => fields[field] !== undefined) }
  transaction.record(bundleEvent(row, stamp, { action: 'bundle.changed', data }))
}

// A new name can be one that members do not reach: what they let a terminal remember ends.
async function endLeft(
  transaction: Recorded,
  { id: bundleId, from, to }: { id: string; from: string; to: string },
  stamp: Stamp,
): Promise<void> {
  const members = await selectOf(transaction, 'memberships', stamp.tenantId).select(REACH).execute()
  for (const { user_id: userId, reach } of await withReach(transaction, members))
    if (reaches(reach, from) && !reaches(reach, to))
      await endGrants(transaction, { bundleId, userId }, { ...madeBy(stamp), reason: 'person_removed' })
}

// A new name can be in a folder that lets only owners change values.
async function requireEditor(transaction: Query, bundleId: string, editor: Caller): Promise<void> {
  const rights = (
    await rightsOfBundles({ query: transaction, reach: editor.reach }, editor.tenantId, [bundleId])
  ).get(bundleId)
  // Without the bundle there is nothing to edit: what reads it again after the commit says so.
  if (rights !== undefined) requireRight(mayEditBundle(editor, rights))
}

/** Lock a bundle until the transaction ends.
 * @throws DomainError not_found */
async function lockBundle(transaction: Query, id: string, { tenantId }: Stamp) {
  const row = await updateOf(transaction, 'bundles', { tenantId, id })
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .returning([...CHANGEABLE, 'production'])
    .executeTakeFirst()
  if (!row) throw bundleNotFound()
  return row
}

const sharedSecrets = (
  query: Query,
  tenantId: string,
  { bundleIds, keyIds }: Parameters<BundleStore['sharedSecrets']>[1],
) =>
  inChunks(bundleIds, (bundles) =>
    inChunks(keyIds, (keys) =>
      secretsElsewhere(query, tenantId, bundles)
        .select(['attachments.bundle_id', 'attachments.key_id'])
        .distinct()
        .where('attachments.key_id', 'in', keys)
        .execute(),
    ),
  )

const UPDATED_BY_NAME = sql<string | null>`(
  select username from users where users.id = bundles.updated_by
)`

const KEY_COUNT = sql<number>`(
  select count(*) from attachments
  where attachments.tenant_id = bundles.tenant_id and attachments.bundle_id = bundles.id
)`

const COLUMNS = [
  'id',
  'tenant_id',
  'name',
  'description',
  'tags',
  'production',
  'created_by',
  'created_at',
  'updated_at',
  'updated_by',
  UPDATED_BY_NAME.as('updated_by_name'),
  KEY_COUNT.as('key_count'),
] as const

function finder(query: Query): BundleStore['find'] {
  const read = preparedStatement((value: (name: 'tenantId' | 'bundleId') => string) =>
    selectOf(query, 'bundles', { tenantId: value('tenantId'), id: value('bundleId') }).select(COLUMNS),
  )
  return async (tenantId, bundleId) => (await ask(query, read({ tenantId, bundleId })))[0] ?? null
}

type ListRequest = { tenantId: string; filter: BundleFilter; slice: Slice }

function list(query: Query, { tenantId, filter, slice }: ListRequest): Promise<Bundle[]> {
  return selectOf(query, 'bundles', tenantId)
    .select(COLUMNS)
    .where('name', 'in', namesIn(matching(query, tenantId, filter).select('name'), slice))
    .orderBy('name')
    .execute()
}

function matching(query: Query, tenantId: string, { query: text, tag, ids }: BundleFilter) {
  return (
    selectOf(query, 'bundles', tenantId)
      .$if(Boolean(text), (select) => select.where(containsInAnyCase('name', text ?? '')))
      .$if(Boolean(tag), (select) => select.where(contains(sql`(',' || tags || ',')`, `,${tag},`)))
      // PostgreSQL has no empty list, and no bundle has this id.
      .$if(ids !== undefined, (select) => select.where('id', 'in', ['', ...(ids ?? [])]))
  )
}

async function findNamed(query: Query, tenantId: string, names: readonly string[]) {
  return inChunks(names, (some) =>
    selectOf(query, 'bundles', tenantId)
      .select(['id', 'name', 'tags', 'production'])
      .where('name', 'in', some)
      .execute(),
  )
}

async function findSuggested(query: Query, userId: string | null, { bundle, workspace }: BundleSuggestion) {
  const rows = await query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .innerJoin('bundles', 'bundles.tenant_id', 'tenants.id')
    .select(['tenants.name as tenant_name', 'bundles.id', 'bundles.name'])
    .select(REACH)
    .$if(userId !== null, (select) => select.where('memberships.user_id', '=', userId))
    .where((on) => on.or([on('bundles.id', '=', bundle), on('bundles.name', '=', bundle)]))
    .$if(workspace !== null, (select) =>
      select.where((on) => on.or([on('tenants.id', '=', workspace), on('tenants.name', '=', workspace)])),
    )
    .orderBy('tenants.name')
    .orderBy('tenants.id')
    .orderBy('bundles.name')
    .execute()
  const seen = (await withReach(query, rows)).filter(({ reach, name }) => reaches(reach, name))
  return seen.map(({ tenant_id, tenant_name, id, name }) => ({
    bundle: { id, name },
    workspace: { id: tenant_id, name: tenant_name },
  }))
}

async function remove(transaction: Recorded, bundleId: string, stamp: Stamp): Promise<void> {
  const row = await deleteOf(transaction, 'bundles', { tenantId: stamp.tenantId, id: bundleId })
    .returning(['id', 'name'])
    .executeTakeFirst()
  if (!row) throw bundleNotFound()
  transaction.record(bundleEvent(row, stamp, { action: 'bundle.deleted' }))
}
