import type { AuditAction } from '@keyferry/contract'
import { type Bounds, bundleFull } from '../../domain/base/bounds.ts'
import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { bundleNotFound } from '../../domain/library/bundle.ts'
import { ask } from '../base/pipeline.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { hasChanged } from '../base/statements.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'

/** Lock a bundle until the transaction ends, so that one change of its positions happens at a time.
 * @throws DomainError not_found */
export async function lockBundle(transaction: Query, tenantId: string, bundleId: string): Promise<void> {
  const bundle = updateOf(transaction, 'bundles', { tenantId, id: bundleId })
  if (!(await hasChanged(bundle.set((column) => ({ updated_at: column.ref('updated_at') })))))
    throw bundleNotFound()
}

/** Note who changed a bundle and when, in a transaction that has locked it, and record what changed. */
export async function stampBundle(
  transaction: Recorded,
  changed: { bundleId: string; action: AuditAction; data?: EventData },
  stamp: Stamp,
): Promise<void> {
  await stampBundleForEach(transaction, { ...changed, events: [changed.data ?? {}] }, stamp)
}

/** As `stampBundle`, for a change of several things: records an event for each of them. */
export async function stampBundleForEach(
  transaction: Recorded,
  { bundleId: id, action, events }: { bundleId: string; action: AuditAction; events: readonly EventData[] },
  stamp: Stamp,
): Promise<void> {
  const { tenantId, at, by } = stamp
  const { name } = await updateOf(transaction, 'bundles', { tenantId, id })
    .set({ updated_at: at, updated_by: by })
    .returning('name')
    .executeTakeFirstOrThrow()
  for (const data of events) transaction.record(bundleEvent({ id, name }, stamp, { action, data }))
}

export function bundleEvent(
  { id, name }: { id: string; name: string },
  stamp: Stamp,
  event: { action: AuditAction; data?: EventData },
): Event {
  return { ...madeBy(stamp), target: { kind: 'bundle', id, name }, ...event }
}

/** What an event about a key in a bundle tells of the name there: only one that differs from the key's. */
export function deliveredAs(keyName: string, deliveredName: string): { as?: string } {
  return keyName === deliveredName ? {} : { as: deliveredName }
}

/** Call after entries were added to a bundle, in the transaction that has locked it.
 * @throws DomainError bundle_full, which undoes the transaction */
export async function requireWithinBound(
  transaction: Query,
  { tenantId, bundleId }: { tenantId: string; bundleId: string },
  bounds: Bounds,
): Promise<void> {
  const counts = await Promise.all(
    (['attachments', 'legacy_items'] as const).map((table) =>
      ask(
        transaction,
        selectOf(transaction, table, tenantId)
          .select(({ fn }) => fn.countAll<number>().as('entries'))
          .where('bundle_id', '=', bundleId),
      ),
    ),
  )
  const entries = counts.flat().reduce((sum, counted) => sum + counted.entries, 0)
  if (entries > bounds.bundleEntries) throw bundleFull(bounds)
}
