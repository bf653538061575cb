import type { Plaintext } from '@keyferry/crypto/plaintext'
import type { AttachedVersion, AttachmentStore, SharedKey } from '../../domain/library/attachment.ts'
import type { LongValues, ValueSize } from '../../domain/library/bundle-entry.ts'
import type { WantedValues } from '../../domain/library/wanted-values.ts'
import type { Queries, Query } from '../base/queries.ts'
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
): Pick<AttachmentStore, 'list' | 'longValues' | 'valueSizes' | 'listShared' | 'versions'> {
  const { query } = queries
  return {
    list: lister(queries, vault),
    longValues: (tenantId, bundleId, wanted) => longValues(query, vault, { tenantId, bundleId, wanted }),
    valueSizes: sizer(queries),
    listShared: (tenantId, bundleId) => listShared(query, tenantId, bundleId),
    versions: (tenantId, bundleId, keyIds) => versions(attachedKeys(query, tenantId, bundleId), keyIds),
  }
}

function attachedKeys(query: Query, tenantId: string, bundleId: string) {
  return keysAttached(query, tenantId).where('attachments.bundle_id', '=', bundleId)
}

function lister({ query, prepare }: Queries, vault: ValueVault): AttachmentStore['list'] {
  const build = (tenantId: string, bundleId: string, values: WantedValues) =>
    attachedKeys(query, tenantId, bundleId)
      .select(['keys.id', 'keys.name', 'keys.value_version', 'keys.is_secret', 'keys.description'])
      .select(['keys.expires_at', 'keys.rotate_at', 'keys.template_parts'])
      .select(['attachments.delivered_name', 'attachments.position', 'attachments.required'])
      .select(VALUE_BYTES)
      .select(listedColumns(values, 'delivered_name'))
      .orderBy('attachments.position')
  const readPublic = prepare((value: (name: 'tenantId' | 'bundleId') => string) =>
    build(value('tenantId'), value('bundleId'), 'public'),
  )
  return async (tenantId, bundleId, values) => {
    const { open } = await vault.of(tenantId)
    const rows = await (values === 'public'
      ? readPublic({ tenantId, bundleId })
      : build(tenantId, bundleId, values).execute())
    return rows.map((row) => ({
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

type StoredSize = { name: string; bytes: number; template_parts: string | null }

function sizeIn({ template_parts, ...size }: StoredSize): ValueSize {
  return { ...size, templateUses: usesIn(template_parts) }
}

// From so many on, one read of the whole bundle is shorter.
const NAMED_KEYS = 1_000

async function versions(
  attached: ReturnType<typeof attachedKeys>,
  keyIds: readonly string[],
): Promise<AttachedVersion[]> {
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

function listShared(query: Query, tenantId: string, bundleId: string): Promise<SharedKey[]> {
  return query
    .selectFrom('attachments as here')
    .innerJoin('attachments as there', (join) =>
      join
        .onRef('there.tenant_id', '=', 'here.tenant_id')
        .onRef('there.key_id', '=', 'here.key_id')
        .onRef('there.bundle_id', '!=', 'here.bundle_id'),
    )
    .innerJoin('bundles', 'bundles.id', 'there.bundle_id')
    .where('here.bundle_id', '=', bundleId)
    .where('here.tenant_id', '=', tenantId)
    .select(({ fn }) => [
      'here.key_id',
      fn.min('bundles.name').as('shared_with'),
      fn.countAll<number>().as('shared_total'),
    ])
    .groupBy('here.key_id')
    .execute()
}
