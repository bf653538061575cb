import { isProduction } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { sql } from 'kysely'
import { mapInTurns } from '../../domain/base/turns.ts'
import type { AttachmentStore, SharedKey } from '../../domain/library/attachment.ts'
import { type LongValues, SMALL_BUNDLE_BYTES, type ValueSize } from '../../domain/library/bundle-entry.ts'
import type { WantedValues } from '../../domain/library/wanted-values.ts'
import { inChunks } from '../base/chunks.ts'
import type { Queries, Query } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import type { Flag } from '../base/tables.ts'
import { keysAttached } from '../base/tenant-rows.ts'
import {
  listedColumns,
  openedByName,
  partsIn,
  usesIn,
  VALUE_BYTES,
  type ValueVault,
  valueColumn,
  wantedValue,
} from '../keys-at-rest/value-vault.ts'

/** The methods that read the attached keys of a bundle. */
export function readAttachedKeys(
  queries: Queries,
  vault: ValueVault,
): Pick<
  AttachmentStore,
  'list' | 'listSmall' | 'templates' | 'longValues' | 'valueSizes' | 'listShared' | 'versions'
> {
  const { query } = queries
  return {
    ...listers(queries, vault),
    templates: templateReader(queries),
    longValues: (tenantId, bundleId, wanted) => longValues(query, vault, { tenantId, bundleId, wanted }),
    valueSizes: sizer(queries),
    listShared: (tenantId, bundleId) => listShared(query, tenantId, bundleId),
    versions: (tenantId, bundleId, keyIds) => versions(attachedKeys(query, tenantId, bundleId), keyIds),
  }
}

function attachedKeys(query: Query, tenantId: string, bundleId: string) {
  return keysAttached(query, tenantId).where('attachments.bundle_id', '=', bundleId)
}

function listers(
  { query, prepare }: Queries,
  vault: ValueVault,
): Pick<AttachmentStore, 'list' | 'listSmall'> {
  const keysOf = (tenantId: string, bundleId: string) =>
    attachedKeys(query, tenantId, bundleId)
      .select(['keys.id', 'keys.name', 'keys.value_version', 'keys.is_secret', 'keys.description'])
      .select(['keys.expires_at', 'keys.rotate_at', 'keys.template_parts'])
      .select(['attachments.delivered_name', 'attachments.position', 'attachments.required'])
      .select(VALUE_BYTES)
      .orderBy('attachments.position')
  const build = (tenantId: string, bundleId: string, values: WantedValues) =>
    keysOf(tenantId, bundleId).select(listedColumns(values, 'delivered_name'))
  const buildSmall = (tenantId: string, bundleId: string, names: ReadonlySet<string> | 'all') => {
    const value = wantedValue(names, 'delivered_name')
    const sizes = attachedKeys(query, tenantId, bundleId).select(sql`sum(length(keys.value))`.as('bytes'))
    const small = sql<Uint8Array | null>`case when (${sizes}) <= ${sql.lit(SMALL_BUNDLE_BYTES)} then ${value} end`
    return keysOf(tenantId, bundleId).select([small.as('value'), sql<Flag>`0`.as('is_long')])
  }
  const readSmall = prepare((value: (name: 'tenantId' | 'bundleId') => string) =>
    buildSmall(value('tenantId'), value('bundleId'), 'all'),
  )
  const readPublic = prepare((value: (name: 'tenantId' | 'bundleId') => string) =>
    build(value('tenantId'), value('bundleId'), 'public'),
  )
  const listed = async (
    tenantId: string,
    rows: readonly Awaited<ReturnType<typeof readPublic>>[number][],
  ) => {
    const { open } = await vault.of(tenantId)
    return mapInTurns(rows, (row) => ({
      id: row.id,
      name: row.delivered_name,
      key_name: row.name,
      value: open(row),
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
    }))
  }
  return {
    async list(tenantId, bundleId, values) {
      const isPublic = values === 'public'
      const rows = isPublic ? readPublic({ tenantId, bundleId }) : build(tenantId, bundleId, values).execute()
      return listed(tenantId, await rows)
    },
    async listSmall(tenantId, bundleId, names) {
      const read = names ? buildSmall(tenantId, bundleId, names).execute() : readSmall({ tenantId, bundleId })
      const rows = await read
      const isLarge = rows.some(
        ({ value, delivered_name }) => value === null && names?.has(delivered_name) !== false,
      )
      return isLarge ? null : listed(tenantId, rows)
    },
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

function sizer({ query, prepare }: Queries): AttachmentStore['valueSizes'] {
  const readSizes = prepare((value: (name: 'tenantId' | 'bundleId') => string) =>
    attachedKeys(query, value('tenantId'), value('bundleId')).select([
      'attachments.delivered_name as name',
      'keys.template_parts',
      VALUE_BYTES,
    ]),
  )
  return async (tenantId, bundleId) => (await readSizes({ tenantId, bundleId })).map(sizeIn)
}

function templateReader({ query, prepare }: Queries): AttachmentStore['templates'] {
  const read = prepare((value: (name: 'tenantId' | 'bundleId') => string) =>
    attachedKeys(query, value('tenantId'), value('bundleId'))
      .where('keys.template_parts', 'is not', null)
      .select(['attachments.delivered_name as name', 'keys.template_parts']),
  )
  return async (tenantId, bundleId) => {
    const rows = await read({ tenantId, bundleId })
    return rows.map(({ name, template_parts }) => ({ name, parts: partsIn(template_parts) ?? [] }))
  }
}

type StoredSize = { name: string; bytes: number; template_parts: string | null }

function sizeIn({ template_parts, ...size }: StoredSize): ValueSize {
  return { ...size, templateUses: usesIn(template_parts) }
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
