import { sql } from 'kysely'
import { madeBy } from '../../domain/base/event.ts'
import type { WholePage } from '../../domain/base/listing.ts'
import { mapInTurns } from '../../domain/base/turns.ts'
import { keyNotFound } from '../../domain/library/key.ts'
import {
  type KeyVersion,
  type KeyVersionStore,
  type RestoreChange,
  type VersionChange,
  versionDestroyed,
  versionIsCurrent,
  versionNotFound,
} from '../../domain/library/key-version.ts'
import { mayRestore, requireMayCompose, requireRight } from '../../domain/library/value-rights.ts'
import { ask } from '../base/pipeline.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import type { Flag } from '../base/tables.ts'
import { countOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { versionHolders } from '../holders/holders.ts'
import { type TenantVault, type ValueVault, valueColumn } from '../keys-at-rest/value-vault.ts'
import { changeLocked, type KeyChangeParts, lockKey, requireVersion, rightsOfKey } from './key-changes.ts'

// Shorter values are equal by chance.
const SHORTEST = 8
const MOST_NAMED = 20
export function createKeyVersionStore(
  queries: Queries,
  vault: ValueVault,
  { versionsKept }: { versionsKept: number },
): KeyVersionStore {
  const { query, write } = queries
  return {
    list: async (tenantId, keyId, page) => list(query, vault, { tenantId, keyId, page }),
    restore: async (tenantId, change) => {
      const locked = await vault.toWrite(tenantId)
      return write(async (transaction) => {
        const parts = { versionsKept, vault: await locked(transaction), transaction }
        return restore(parts, { ...change, tenantId })
      })
    },
    formerElsewhere: (tenantId, keyIds) => formerElsewhere(query, vault, { tenantId, keyIds }),
    destroy: (tenantId, change) => write((transaction) => destroy(transaction, { ...change, tenantId })),
  }
}

type VersionListing = { tenantId: string; keyId: string; page: WholePage }

async function list(query: Query, vault: ValueVault, { tenantId, keyId, page }: VersionListing) {
  const { open } = await vault.of(tenantId)
  const current = await currentVersion(query, tenantId, keyId)
  if (!current) throw keyNotFound()
  const hasCurrent = page.offset === 0
  const [replaced, total] = await Promise.all([
    replacedRows(query, tenantId, current)
      .limit(hasCurrent ? page.limit - 1 : page.limit)
      .offset(hasCurrent ? 0 : page.offset - 1)
      .execute(),
    countOf(replacedVersions(query, tenantId, current)),
  ])
  const rows = hasCurrent ? [current, ...replaced] : replaced
  return { total: total + 1, rows: rows.map((row) => presented(row, open)) }
}

type VersionRow = Omit<KeyVersion, 'value' | 'is_template' | 'current' | 'set_by' | 'proposed_by'> & {
  set_by: string
  set_by_name: string | null
  proposed_by: string | null
  proposed_by_name: string | null
  key_id: string
  name: string
  is_secret: Flag
  template_parts: string | null
  value: Uint8Array | null
}

function presented(row: VersionRow, open: TenantVault['open']): KeyVersion {
  const { key_id: id, name, is_secret, template_parts, value, ...described } = row
  const { set_by, set_by_name, proposed_by, proposed_by_name, ...version } = described
  return {
    ...version,
    current: row.replaced_at === null,
    set_by: { kind: 'user', id: set_by, name: set_by_name },
    proposed_by: proposed_by === null ? null : { kind: 'user', id: proposed_by, name: proposed_by_name },
    is_template: template_parts !== null,
    value: open({ id, name, is_secret, template_parts, value, value_version: row.version }),
  }
}

const nameOf = <As extends string>(column: string, as: As) =>
  sql<string | null>`(select username from users where users.id = ${sql.ref(column)})`.as(as)

function currentVersion(query: Query, tenantId: string, keyId: string): Promise<VersionRow | undefined> {
  return selectOf(query, 'keys', { tenantId, id: keyId })
    .select(['id as key_id', 'name', 'is_secret', 'template_parts', valueColumn('public')])
    .select('value_version as version')
    .select(['value_set_at as set_at', 'value_set_by as set_by', nameOf('keys.value_set_by', 'set_by_name')])
    .select(['value_proposed_by as proposed_by', nameOf('keys.value_proposed_by', 'proposed_by_name')])
    .select(['value_how as how', 'value_restored_from as restored_from'])
    .select('value_changed_elsewhere_at as changed_elsewhere_at')
    .select([sql<null>`null`.as('replaced_at'), sql<null>`null`.as('destroyed_at')])
    .select(versionHolders('keys', 'id', 'value_version'))
    .executeTakeFirst()
}

// A version that is replaced between the two reads is in the first one already.
function replacedVersions(query: Query, tenantId: string, current: VersionRow) {
  return selectOf(query, 'key_versions', { tenantId, key_id: current.key_id }).where(
    'version',
    '<',
    current.version,
  )
}

function replacedRows(query: Query, tenantId: string, current: VersionRow) {
  const shown = sql<Uint8Array | null>`case when is_secret = 0 and was_secret = 0 then value end`
  return replacedVersions(query, tenantId, current)
    .select([
      'key_id',
      'name',
      'is_secret',
      'template_parts',
      'version',
      'set_at',
      'set_by',
      nameOf('key_versions.set_by', 'set_by_name'),
    ])
    .select(['proposed_by', nameOf('key_versions.proposed_by', 'proposed_by_name')])
    .select(['how', 'restored_from', 'replaced_at', 'destroyed_at', 'changed_elsewhere_at'])
    .select(versionHolders('key_versions', 'key_id', 'version'))
    .select((current.is_secret === 1 ? sql<null>`null` : shown).as('value'))
    .orderBy('version', 'desc')
}

async function formerElsewhere(
  query: Query,
  vault: ValueVault,
  { tenantId, keyIds }: { tenantId: string; keyIds: readonly string[] },
): ReturnType<KeyVersionStore['formerElsewhere']> {
  const { open } = await vault.of(tenantId)
  const found = new Set<string>()
  for (const keyId of keyIds) {
    const versions = selectOf(query, 'key_versions', { tenantId, key_id: keyId }).selectAll()
    const [former] = await ask(query, versions.orderBy('version', 'desc').limit(1))
    if (!former?.value || former.is_secret === 0 || former.template_parts !== null) continue
    const value = open({ ...former, id: former.key_id, value_version: former.version })
    if (!value || value.reveal().length < SHORTEST) continue
    const alike = selectOf(query, 'keys', tenantId)
      .select(['id', 'name', 'value', 'value_version', 'is_secret', 'template_parts'])
      .where('id', 'not in', keyIds)
      .where(sql<boolean>`length(value) = ${former.value.length}`)
      .where('template_parts', 'is', null)
    const same = await mapInTurns(await ask(query, alike), (row) =>
      open(row)?.equals(value) ? [row.id] : [],
    )
    for (const id of same.flat()) found.add(id)
  }
  if (found.size === 0) return []
  return await selectOf(query, 'keys', tenantId)
    .leftJoin('attachments', (join) =>
      join.onRef('attachments.tenant_id', '=', 'keys.tenant_id').onRef('attachments.key_id', '=', 'keys.id'),
    )
    .leftJoin('bundles', 'bundles.id', 'attachments.bundle_id')
    .select([
      sql<string>`coalesce(attachments.delivered_name, keys.name)`.as('name'),
      'bundles.name as bundle',
    ])
    .where('keys.id', 'in', [...found].slice(0, MOST_NAMED))
    .orderBy('bundles.name')
    .orderBy('keys.name')
    .execute()
}

type InTenant<Change> = Change & { tenantId: string }

async function restore(parts: KeyChangeParts, change: InTenant<RestoreChange>): Promise<void> {
  const { transaction, vault } = parts
  const { tenantId, keyId, version, expectedVersion, editor, stamp } = change
  const current = await lockKey(transaction, tenantId, keyId)
  await requireVersion(transaction, current, expectedVersion)
  const stored = { version: current.value_version, set_at: current.value_set_at }
  const rights = { ...(await rightsOfKey(transaction, current, editor)), ...stored }
  requireRight(mayRestore(editor, rights, { version, at: stamp.at }))
  if (version === current.value_version) return
  const row = await versionRow(transaction, change).selectAll().executeTakeFirst()
  if (!row) throw versionNotFound(version)
  if (row.template_parts !== null) requireMayCompose(editor)
  const value = vault.open({ ...row, id: row.key_id, value_version: row.version })
  if (!value) throw versionDestroyed(version)
  const mark = row.was_secret === 1 ? { is_secret: true } : {}
  const whose = editor.role === 'owner' ? {} : { setBy: row.set_by, proposedBy: row.proposed_by }
  const source = { how: 'restore', restoredFrom: version, ...whose } as const
  const isTemplate = row.template_parts !== null
  // Otherwise a member who overwrites a secret with a guess would learn from the undo that it was right.
  const compared = editor.role === 'owner' ? {} : { isSame: () => false }
  await changeLocked(parts, { current, change: { value, isTemplate, ...mark, stamp }, source, ...compared })
}

function versionRow(query: Query, { tenantId, keyId, version }: InTenant<VersionChange>) {
  return selectOf(query, 'key_versions', { tenantId, key_id: keyId, version })
}

async function destroy(transaction: Recorded, change: InTenant<VersionChange>): Promise<void> {
  const { tenantId, keyId, version, stamp } = change
  const current = await lockKey(transaction, tenantId, keyId)
  if (version === current.value_version) throw versionIsCurrent(version)
  const row = await versionRow(transaction, change).select('destroyed_at').executeTakeFirst()
  if (!row) throw versionNotFound(version)
  if (row.destroyed_at !== null) return
  await updateOf(transaction, 'key_versions', { tenantId, key_id: keyId, version })
    .set({ value: null, destroyed_at: stamp.at, destroyed_by: stamp.by })
    .execute()
  const target = { kind: 'key', id: keyId, name: current.name } as const
  const action = 'key.version_destroyed'
  transaction.record({ action, target, data: { version }, ...madeBy(stamp) })
}
