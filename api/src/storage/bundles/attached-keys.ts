import { isProduction } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { sql } from 'kysely'
import { mapInTurns } from '../../domain/base/turns.ts'
import type { AttachmentStore, SharedKey } from '../../domain/library/attachment.ts'
import type { LongValues } from '../../domain/library/bundle-entry.ts'
import type { WantedValues } from '../../domain/library/wanted-values.ts'
import { inChunks } from '../base/chunks.ts'
import { ask } from '../base/pipeline.ts'
import { preparedStatement } from '../base/prepared.ts'
import type { Queries, Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { keysAttached } from '../base/tenant-rows.ts'
import {
  listedColumns,
  openedByName,
  partsIn,
  usesIn,
  VALUE_BYTES,
  type ValueVault,
  valueColumn,
} from '../keys-at-rest/value-vault.ts'

/** The methods that read the attached keys of a bundle. */
export function readAttachedKeys(
  queries: Queries,
  vault: ValueVault,
): Pick<AttachmentStore, 'list' | 'longValues' | 'listShared' | 'versions'> {
  const { query } = queries
  return {
    list: lister(query, vault),
    longValues: (tenantId, bundleId, wanted) => longValues(query, vault, { tenantId, bundleId, wanted }),
    listShared: (tenantId, bundleId) => listShared(query, tenantId, bundleId),
    versions: (tenantId, bundleId, keyIds) => versions(attachedKeys(query, tenantId, bundleId), keyIds),
  }
}

function attachedKeys(query: Query, tenantId: string, bundleId: string) {
  return keysAttached(query, tenantId).where('attachments.bundle_id', '=', bundleId)
}

type EntryListing = { tenantId: string; bundleId: string; values: WantedValues; most?: number | undefined }

function listed(query: Query, { tenantId, bundleId, values, most }: EntryListing) {
  const all = attachedKeys(query, tenantId, bundleId).select(sql`sum(length(keys.value))`.as('bytes'))
  return attachedKeys(query, tenantId, bundleId)
    .select(['keys.id', 'keys.name', 'keys.value_version', 'keys.is_secret', 'keys.description'])
    .select(['keys.expires_at', 'keys.rotate_at', 'keys.template_parts'])
    .select(['attachments.delivered_name', 'attachments.position', 'attachments.required'])
    .select(VALUE_BYTES)
    .select(
      listedColumns(values, 'delivered_name', most === undefined ? null : sql`(${all}) <= ${sql.lit(most)}`),
    )
    .orderBy('attachments.position')
}

function lister(query: Query, vault: ValueVault): AttachmentStore['list'] {
  const read = preparedStatement((value: (name: 'tenantId' | 'bundleId') => string) =>
    listed(query, { tenantId: value('tenantId'), bundleId: value('bundleId'), values: 'public' }),
  )
  return async (tenantId, bundleId, values, most?: number) => {
    const isUsual = values === 'public' && most === undefined
    const place = { tenantId, bundleId }
    const rows = await ask(query, isUsual ? read(place) : listed(query, { ...place, values, most }))
    const { open } = await vault.of(tenantId)
    return mapInTurns(rows, (row) => entryOf(row, open(row)))
  }
}

type EntryRow = Awaited<ReturnType<ReturnType<typeof listed>['execute']>>[number]

function entryOf(row: EntryRow, value: Plaintext | null) {
  return {
    id: row.id,
    name: row.delivered_name,
    key_name: row.name,
    value,
    is_secret: row.is_secret === 1,
    description: row.description,
    version: row.value_version,
    expires_at: row.expires_at,
    rotate_at: row.rotate_at,
    order: row.position,
    required: row.required === 1,
    isLong: row.is_long === 1,
    bytes: row.bytes,
    templateParts: partsIn(row.template_parts),
    templateUses: usesIn(row.template_parts),
  }
}

async function longValues(
  query: Query,
  vault: ValueVault,
  { tenantId, bundleId, wanted }: { tenantId: string; bundleId: string; wanted: LongValues },
): Promise<ReadonlyMap<string, Plaintext>> {
  if (wanted.names.length === 0) return new Map()
  const rows = await attachedKeys(query, tenantId, bundleId)
    .select(['keys.id', 'keys.name', 'keys.value_version', 'keys.is_secret', 'keys.template_parts'])
    .select(['attachments.delivered_name as entry', valueColumn(wanted.values)])
    .where('attachments.delivered_name', 'in', wanted.names)
    .execute()
  return openedByName(await vault.of(tenantId), rows)
}

// From so many on, one read of the whole bundle is shorter.
const NAMED_KEYS = 1_000

async function versions(attached: ReturnType<typeof attachedKeys>, keyIds: readonly string[]) {
  if (keyIds.length === 0) return []
  const read = attached.select([
    'keys.id',
    'keys.value_version as version',
    'attachments.delivered_name as name',
  ])
  return keyIds.length > NAMED_KEYS
    ? read.execute()
    : read.where('attachments.key_id', 'in', keyIds).execute()
}

async function listShared(query: Query, tenantId: string, bundleId: string): Promise<SharedKey[]> {
  const attached = attachedKeys(query, tenantId, bundleId).select('attachments.key_id as id')
  const keyIds = (await attached.execute()).map(({ id }) => id)
  return inChunks(keyIds, (some) => sharedAmong(query, { tenantId, bundleId }, some))
}

async function sharedAmong(
  query: Query,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  keyIds: readonly string[],
): Promise<SharedKey[]> {
  const uses = attachedKeys(query, tenantId, bundleId)
    .where('attachments.key_id', 'in', keyIds)
    .innerJoin('attachments as there', (join) =>
      join
        .on(inOneTenant('there.key_id', 'attachments.key_id'))
        .onRef('there.bundle_id', '!=', 'attachments.bundle_id'),
    )
    .innerJoin('bundles', 'bundles.id', 'there.bundle_id')
  const others = await uses
    .select(['bundles.id', 'bundles.name', 'bundles.tags', 'bundles.production'])
    .distinct()
    .execute()
  // Never an empty list, which PostgreSQL does not take; the bundle is none of the others.
  const production = [bundleId, ...others.filter(isProduction).map(({ id }) => id)]
  const rows = await uses
    .select((build) => [
      'keys.id as keyId',
      'keys.is_secret',
      build.fn.min('bundles.name').as('firstOther'),
      build.fn.countAll<number>().as('others'),
      build.fn
        .count<number>(build.case().when('bundles.id', 'in', production).then(1).end())
        .as('inProduction'),
    ])
    .groupBy(['keys.id', 'keys.is_secret'])
    .execute()
  return rows.map((row) => ({ ...row, is_secret: row.is_secret === 1 }))
}
