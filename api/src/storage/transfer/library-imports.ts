import type { Bounds } from '../../domain/base/bounds.ts'
import type { EventData } from '../../domain/base/event.ts'
import type { ImportChange, LibraryImportStore } from '../../domain/transfer/library-import.ts'
import { makesKey, splits } from '../../domain/transfer/library-import-step.ts'
import { chunks, inChunks } from '../base/chunks.ts'
import { send } from '../base/pipeline.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { noteCopies } from '../base/recording.ts'
import { deleteOf, updateOf } from '../base/tenant-rows.ts'
import { attachmentRow, closeGaps, lengthOf } from '../bundles/attachment-positions.ts'
import {
  deliveredAs,
  requireWithinBound,
  stampBundle,
  stampBundleForEach,
} from '../bundles/bundle-changes.ts'
import { createBundle } from '../bundles/bundles.ts'
import { weakerCopies } from '../bundles/policies.ts'
import type { KeyChangeParts } from '../keys/key-changes.ts'
import { changeLibrary, Overtaken } from '../keys/library-changes.ts'
import { readLibrary } from '../keys/library-reading.ts'
import type { ValueVault } from '../keys-at-rest/value-vault.ts'
import { changeKeys, insertKeys, lockKeys } from './imported-keys.ts'
import { endStored } from './proposals.ts'

export function createLibraryImportStore(
  queries: Queries,
  vault: ValueVault,
  bounds: Bounds,
): LibraryImportStore {
  const { query } = queries
  return {
    read: async (tenantId, reading) =>
      readLibrary(query, await vault.of(tenantId), { ...bounds, tenantId, reading }),
    async carryOut(tenantId, imports) {
      const locked = await vault.toWrite(tenantId)
      return changeLibrary(queries, tenantId, async (transaction) => {
        const parts = { ...bounds, transaction, vault: await locked(transaction), bounds }
        return await importInto(parts, tenantId, imports)
      })
    },
  }
}

/** Carry out imports in a transaction that has locked the tenant.
 * @throws Overtaken: another call changed the library in between */
export async function importInto(
  parts: ImportStoreParts,
  tenantId: string,
  imports: Parameters<LibraryImportStore['carryOut']>[1],
): Promise<ImportChange[]> {
  const { transaction, vault } = parts
  const changes: ImportChange[] = []
  for (const { reading, decide } of imports) {
    await lockBundleNamed(transaction, tenantId, reading.bundleName)
    const { assurance } = parts.bounds
    const change = decide(await readLibrary(transaction, vault, { assurance, tenantId, reading }))
    await apply(parts, { ...change, tenantId })
    await endStored(transaction, { ...change, tenantId })
    changes.push(change)
  }
  return changes
}

async function lockBundleNamed(transaction: Query, tenantId: string, name: string): Promise<void> {
  const bundle = updateOf(transaction, 'bundles', { tenantId, name })
  await send(
    transaction,
    bundle.set((column) => ({ updated_at: column.ref('updated_at') })),
  )
}

type PlacedImport = ImportChange & { tenantId: string }
type ImportStoreParts = KeyChangeParts & { bounds: Bounds }

async function apply(parts: ImportStoreParts, change: PlacedImport): Promise<void> {
  const { bundleId, bundle, steps, stamp } = change
  await detach(parts.transaction, change)
  if (written(steps).length === 0 && bundle === null) return
  if (bundle && !(await createBundle(parts.transaction, bundle, stamp))) throw new Overtaken()
  const locked = await lockKeys(parts.transaction, change)
  await insertKeys(parts, change)
  await changeKeys(parts, change, locked)
  await attach(parts, change)
  noteCopies(copiesIn(steps))
  const { assurance } = parts.bounds
  const weaker = await weakerCopies(
    parts.transaction,
    { ...change, assurance },
    copiesIn(steps).map(([, id]) => id),
  )
  const data = { ...summary(steps), ...weaker, ...copiesOf(steps) }
  await stampBundle(parts.transaction, { bundleId, action: 'bundle.imported', data }, stamp)
}

/** Take names from the bundle, which this transaction has locked since the plan was made. */
async function detach(
  transaction: Recorded,
  { tenantId, bundleId, removals, stamp }: PlacedImport,
): Promise<void> {
  if (removals.length === 0) return
  for (const some of chunks(removals)) {
    const { numDeletedRows } = await deleteOf(transaction, 'attachments', { tenantId, bundle_id: bundleId })
      .where(
        'key_id',
        'in',
        some.map(({ key }) => key.id),
      )
      .executeTakeFirstOrThrow()
    if (Number(numDeletedRows) < some.length) throw new Overtaken()
  }
  await closeGaps(transaction, tenantId, [bundleId])
  const events = removals.map(({ name, key }) => ({
    key: { id: key.id, name: key.name },
    ...deliveredAs(key.name, name),
  }))
  await stampBundleForEach(transaction, { bundleId, action: 'bundle.detached', events }, stamp)
}

function summary(steps: ImportChange['steps']): EventData {
  const changed = written(steps)
  const created = changed.filter(makesKey).length
  const updated = changed.filter(({ action }) => action === 'update' || action === 'replace').length
  return { created, updated, names: changed.map(({ entry }) => entry.name) }
}

function written(steps: ImportChange['steps']): ImportChange['steps'] {
  return steps.filter(({ action }) => action !== 'same' && action !== 'kept')
}

/** The ids of the keys that an import gives the values of others, with the ids of those. */
function copiesIn(steps: ImportChange['steps']) {
  return written(steps).flatMap((step) => {
    const { entry, action, key, newKeyId } = step
    const id = makesKey(step) ? newKeyId : (key?.id ?? newKeyId)
    return entry.copied && action !== 'share' ? [[id, entry.copied.id] as const] : []
  })
}

// Each as `NAME from dev/app`.
function copiesOf(steps: ImportChange['steps']): Pick<EventData, 'copied'> {
  const copied = written(steps).flatMap(({ entry: { name, from, copied: isCopied }, action }) =>
    isCopied && action !== 'share' ? [`${name} from ${from}`] : [],
  )
  return copied.length === 0 ? {} : { copied }
}

/** Deliver the new and the shared keys after what the bundle has, in the order of the entries. A key that takes the
 * place of a shared one keeps its position. */
async function attach(
  { transaction, bounds }: ImportStoreParts,
  { tenantId, bundleId, steps }: PlacedImport,
): Promise<void> {
  const first = await lengthOf(transaction, tenantId, bundleId)
  const rows = steps
    .filter(({ isAttached }) => !isAttached)
    .map((step, index) => {
      const keyId = makesKey(step) ? step.newKeyId : (step.key?.id ?? step.newKeyId)
      return attachmentRow({ tenantId, bundleId }, { keyId, name: step.entry.name, position: first + index })
    })
  for (const chunk of chunks(rows)) await transaction.insertAll('attachments', chunk)
  if (rows.length > 0) await requireWithinBound(transaction, { tenantId, bundleId }, bounds)
  const taken = await takenOver(transaction, { tenantId, bundleId, steps: steps.filter(splits) })
  for (const chunk of chunks(taken)) await transaction.insertAll('attachments', chunk)
}

/** Take the places of shared keys from the bundle. @returns the same places with the new keys */
async function takenOver(
  transaction: Query,
  { tenantId, bundleId, steps }: Pick<PlacedImport, 'tenantId' | 'bundleId' | 'steps'>,
) {
  const ended = await inChunks(steps, (some) =>
    deleteOf(transaction, 'attachments', { tenantId, bundle_id: bundleId })
      .where(
        'delivered_name',
        'in',
        some.map(({ entry }) => entry.name),
      )
      .returning(['delivered_name', 'position', 'required'])
      .execute(),
  )
  const places = new Map(ended.map((row) => [row.delivered_name, row]))
  return steps.map(({ newKeyId: key_id, entry }) => {
    const place = places.get(entry.name)
    if (!place) throw new Overtaken()
    return { ...place, tenant_id: tenantId, bundle_id: bundleId, key_id }
  })
}
