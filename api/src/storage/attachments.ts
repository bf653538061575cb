import type { AuditAction } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import type {
  Attachment,
  AttachmentChange,
  AttachmentStore,
  NewAttachment,
  SharedKey,
} from '../domain/attachment.ts'
import type { Bounds } from '../domain/bounds.ts'
import type { LongValues, ValueSize } from '../domain/bundle-entry.ts'
import type { EventData } from '../domain/event.ts'
import type { Stamp } from '../domain/stamp.ts'
import type { WantedValues } from '../domain/wanted-values.ts'
import { lengthOf, move, positionOf, shift } from './attachment-positions.ts'
import { requireWithinBound } from './bundle-bound.ts'
import { deliveredAs, stampBundle } from './bundle-changes.ts'
import { isMissingReference } from './database.ts'
import type { Queries, Query, Recorded } from './queries.ts'
import { flag } from './tables.ts'
import {
  listedColumns,
  openedByName,
  partsIn,
  VALUE_BYTES,
  type ValueVault,
  valueColumn,
} from './value-vault.ts'

export function createAttachmentStore(queries: Queries, vault: ValueVault, bounds: Bounds): AttachmentStore {
  const { query, write, record } = queries
  const readSizes = queries.prepare((value: (name: 'tenantId' | 'bundleId') => string) =>
    attachedKeys(query, value('tenantId'), value('bundleId')).select([
      'attachments.delivered_name as name',
      'keys.template_parts',
      VALUE_BYTES,
    ]),
  )
  return {
    list: lister(queries, vault),
    longValues: (tenantId, bundleId, wanted) => longValues(query, vault, { tenantId, bundleId, wanted }),
    valueSizes: async (tenantId, bundleId) => (await readSizes({ tenantId, bundleId })).map(sizeIn),
    insert: (tenantId, attachment, stamp) => insert(queries, bounds, { tenantId, attachment, stamp }),
    delete: (tenantId, attachment, stamp) =>
      changed(queries, { tenantId, stamp, action: 'bundle.detached', ...attachment }, (transaction) =>
        remove(transaction, tenantId, attachment),
      ),
    change: (tenantId, change, stamp) =>
      orNoKey(() =>
        write((transaction) => applyChange({ transaction, record }, { tenantId, change, stamp })),
      ),
    listShared: (tenantId, bundleId) => listShared(query, tenantId, bundleId),
    move: (tenantId, { order, ...attachment }, stamp) => {
      const data = { position: order }
      const place = { tenantId, stamp, action: 'bundle.reordered', data, ...attachment } as const
      return changed(queries, place, (transaction) => move(transaction, tenantId, { order, ...attachment }))
    },
  }
}

type StoredSize = { name: string; bytes: number; template_parts: string | null }

function sizeIn({ template_parts, ...size }: StoredSize): ValueSize {
  return { ...size, templateParts: partsIn(template_parts) }
}

type ChangeOfPlace = Attachment & { tenantId: string; stamp: Stamp; action: AuditAction; data?: EventData }

/** Lock a bundle, change what is in it, stamp it and record the event, in one transaction.
 * @returns false when there is no such bundle, or nothing to change in it */
function changed(
  { write, record }: Queries,
  { action, data, ...place }: ChangeOfPlace,
  change: (transaction: Query) => Promise<boolean>,
): Promise<boolean> {
  return write(async (transaction) => {
    const isHeld = await holdBundle(transaction, place.tenantId, place.bundleId)
    const as = await deliveredName(transaction, place.tenantId, place)
    if (!isHeld || as === null || !(await change(transaction))) return false
    const key = await mentioned(transaction, place)
    const told = { key, ...deliveredAs(key.name, as), ...data }
    await stampBundle({ transaction, record }, place, { action, data: told })
    return true
  })
}

// A key that is attached is in the library.
async function mentioned(
  transaction: Query,
  { tenantId, keyId }: { tenantId: string; keyId: string },
): Promise<{ id: string; name: string }> {
  return { id: keyId, name: (await nameOf(transaction, tenantId, keyId)) ?? '' }
}

/** Hold a bundle until the transaction ends, so that one change of its positions happens at a time.
 * @returns false when the tenant has no such bundle */
export async function holdBundle(transaction: Query, tenantId: string, bundleId: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('bundles')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', '=', bundleId)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

function attachedKeys(query: Query, tenantId: string, bundleId: string) {
  return query
    .selectFrom('attachments')
    .innerJoin('keys', (join) =>
      join.onRef('keys.tenant_id', '=', 'attachments.tenant_id').onRef('keys.id', '=', 'attachments.key_id'),
    )
    .where('attachments.bundle_id', '=', bundleId)
    .where('attachments.tenant_id', '=', tenantId)
}

function lister({ query, prepare }: Queries, vault: ValueVault): AttachmentStore['list'] {
  const build = (tenantId: string, bundleId: string, values: WantedValues) =>
    attachedKeys(query, tenantId, bundleId)
      .select(['keys.id', 'keys.name', 'keys.value_version', 'keys.is_secret', 'keys.description'])
      .select(['keys.expires_at', 'keys.rotate_at', 'keys.template_parts'])
      .select(['attachments.delivered_name', 'attachments.position', 'attachments.required'])
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
      templateParts: partsIn(row.template_parts),
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

type Insertion = { tenantId: string; attachment: NewAttachment; stamp: Stamp }
type Inserted = Awaited<ReturnType<AttachmentStore['insert']>>

function insert({ write, record }: Queries, bounds: Bounds, insertion: Insertion): Promise<Inserted> {
  return orNoKey(() =>
    write(async (transaction) => {
      const outcome = await insertHeld(transaction, insertion)
      if (outcome !== 'attached') return outcome
      await requireWithinBound(
        transaction,
        { tenantId: insertion.tenantId, bundleId: insertion.attachment.bundleId },
        bounds,
      )
      await noteAttached({ transaction, record }, insertion)
      return outcome
    }),
  )
}

async function orNoKey<Outcome>(change: () => Promise<Outcome>): Promise<Outcome | 'no_key'> {
  try {
    return await change()
  } catch (error) {
    // The key was deleted after it was looked up.
    if (isMissingReference(error)) return 'no_key'
    throw error
  }
}

/** Stamp the bundle of a key that has just been attached, and record the event. */
async function noteAttached(
  { transaction, record }: Recorded,
  { tenantId, attachment, stamp }: Insertion,
): Promise<void> {
  const { bundleId, keyId, as, required } = attachment
  const key = await mentioned(transaction, { tenantId, keyId })
  const data = { key, required, ...(as === undefined ? {} : { as }) }
  await stampBundle(
    { transaction, record },
    { tenantId, bundleId, stamp },
    { action: 'bundle.attached', data },
  )
}

/** Attach a key within a transaction, which holds the bundle from then on. The caller stamps the bundle. */
export async function insertHeld(
  transaction: Query,
  { tenantId, attachment }: Omit<Insertion, 'stamp'>,
): Promise<Inserted> {
  const { bundleId, keyId, order, required } = attachment
  if (!(await holdBundle(transaction, tenantId, bundleId))) return 'no_bundle'
  const keyName = await nameOf(transaction, tenantId, keyId)
  if (keyName === null) return 'no_key'
  if ((await positionOf(transaction, tenantId, attachment)) !== null) return 'already'
  const name = attachment.as ?? keyName
  if (await isDelivered(transaction, { tenantId, bundleId, name })) return 'name_taken'
  const length = await lengthOf(transaction, tenantId, bundleId)
  const position = Math.min(order ?? length, length)
  await shift(transaction, { tenantId, bundleId, from: position, to: length, by: 1 })
  await transaction
    .insertInto('attachments')
    .values({
      bundle_id: bundleId,
      key_id: keyId,
      tenant_id: tenantId,
      delivered_name: name,
      position,
      required: flag(required),
    })
    .execute()
  return 'attached'
}

async function remove(transaction: Query, tenantId: string, attachment: Attachment): Promise<boolean> {
  const { bundleId, keyId } = attachment
  const position = await positionOf(transaction, tenantId, attachment)
  if (position === null) return false
  await transaction
    .deleteFrom('attachments')
    .where('bundle_id', '=', bundleId)
    .where('key_id', '=', keyId)
    .where('tenant_id', '=', tenantId)
    .execute()
  const end = await lengthOf(transaction, tenantId, bundleId)
  await shift(transaction, { tenantId, bundleId, from: position, to: end, by: -1 })
  return true
}

type Change = { tenantId: string; change: AttachmentChange; stamp: Stamp }

async function applyChange(
  { transaction, record }: Recorded,
  { tenantId, change, stamp }: Change,
): ReturnType<AttachmentStore['change']> {
  const { bundleId, as } = change
  if (!(await holdBundle(transaction, tenantId, bundleId))) return 'absent'
  const current = await deliveredName(transaction, tenantId, change)
  if (current === null) return 'absent'
  const isRenamed = as !== undefined && as !== current
  if (isRenamed && (await isDelivered(transaction, { tenantId, bundleId, name: as }))) return 'name_taken'
  const keyId = change.newKeyId ?? change.keyId
  const isOther = keyId !== change.keyId
  if (isOther && (await positionOf(transaction, tenantId, { bundleId, keyId })) !== null) return 'already'
  await transaction
    .updateTable('attachments')
    .set({
      key_id: keyId,
      delivered_name: as ?? current,
      ...(change.required === undefined ? {} : { required: flag(change.required) }),
    })
    .where('bundle_id', '=', bundleId)
    .where('key_id', '=', change.keyId)
    .where('tenant_id', '=', tenantId)
    .execute()
  const data = {
    key: await mentioned(transaction, { tenantId, keyId }),
    ...(isOther ? { replaced: await mentioned(transaction, { tenantId, keyId: change.keyId }) } : {}),
    ...(as === undefined ? {} : { as }),
    ...(change.required === undefined ? {} : { required: change.required }),
  }
  const place = { tenantId, bundleId, stamp }
  await stampBundle({ transaction, record }, place, { action: 'bundle.attachment_changed', data })
  return 'changed'
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

/** Whether a key is attached to a bundle under this name. */
export async function isDelivered(
  transaction: Query,
  { tenantId, bundleId, name }: { tenantId: string; bundleId: string; name: string },
): Promise<boolean> {
  const row = await transaction
    .selectFrom('attachments')
    .select('key_id')
    .where('bundle_id', '=', bundleId)
    .where('delivered_name', '=', name)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row !== undefined
}

async function nameOf(transaction: Query, tenantId: string, keyId: string): Promise<string | null> {
  const row = await transaction
    .selectFrom('keys')
    .select('name')
    .where('id', '=', keyId)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row?.name ?? null
}

async function deliveredName(
  transaction: Query,
  tenantId: string,
  { bundleId, keyId }: Attachment,
): Promise<string | null> {
  const row = await transaction
    .selectFrom('attachments')
    .select('delivered_name')
    .where('bundle_id', '=', bundleId)
    .where('key_id', '=', keyId)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row?.delivered_name ?? null
}
