import { EnvError, writeEnv } from '@keyferry/contract/env'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type EventStore, madeBy } from '../base/event.ts'
import { stampOf } from '../base/stamp.ts'
import { turn } from '../base/turns.ts'
import type { Caller } from '../people/membership.ts'
import { type BundleStore, findBundle } from './bundle.ts'
import { type BundleEntry, bundleEntries, type EntryStores, withLongValues } from './bundle-entry.ts'
import { requireComposed } from './composed-entry.ts'
import { maskedText } from './wanted-values.ts'

/*
 * An export is the content of a bundle as ENV text or JSON. Every member may export; secret values are masked, except
 * on servers set to reveal. A template is exported as what the bundle composes, and a missing part refuses the export.
 * ENV text refuses names that no shell can assign, so that the text reads back as it was.
 */

type ExportedVariable = readonly [name: string, value: string]

type ExportStores = EntryStores & { bundles: BundleStore }
type ExportOf = { bundleId: string; format: 'env' | 'json'; values: 'public' | 'all' }

/** A bundle's entries in groups that are small enough to keep in memory. For ENV text, every name is checked before the
 * first group is read.
 * @throws DomainError not_found · invalid: a composed value lacks a part or is too long; for ENV text, names that no
 *   shell can assign (`details.names`) */
export async function exportBundle(
  stores: ExportStores,
  caller: Caller,
  { bundleId, format, values }: ExportOf,
): Promise<AsyncIterable<readonly BundleEntry[]>> {
  const bundle = await findBundle(stores.bundles, caller, bundleId)
  const place = { tenantId: caller.tenantId, bundleId: bundle.id }
  const entries = await bundleEntries(stores, place, values)
  requireComposed(entries)
  // Values are composed again while the answer is written, when it is too late for an error.
  const toCompose = entries.filter(({ isLong, composition }) => isLong && composition !== undefined)
  for await (const group of withLongValues(stores, place, { entries: toCompose, values })) {
    requireComposed(group)
    if (format === 'env') envTextOf(group.map(exportedEntry))
    await turn()
  }
  // Only values of names that take a number are checked, and these are short. Composed values are checked above.
  if (format === 'env')
    envTextOf(entries.map((entry) => (entry.isLong ? [entry.name, ''] : exportedEntry(entry))))
  return withLongValues(stores, place, { entries, values })
}

/** A name and its value; a value that is not wanted is masked. */
export function exportedEntry({ name, value }: BundleEntry): ExportedVariable {
  return [name, maskedText(value)]
}

/** @throws DomainError invalid, `details.names`: names that no shell can assign */
export function envTextOf(exported: Iterable<ExportedVariable>): string {
  try {
    return writeEnv(exported)
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    throw new DomainError('invalid', error.message, { details: { names: error.names } })
  }
}

/** Record that the caller gets an export. Call it before a value leaves the server.
 * @throws DomainError not_found · unavailable */
export async function noteExport(
  { bundles, events, clock }: { bundles: BundleStore; events: EventStore; clock: ClockAndIds },
  caller: Caller,
  { bundleId, format, values }: ExportOf,
): Promise<void> {
  const { id, name } = await findBundle(bundles, caller, bundleId)
  await events.record({
    action: 'bundle.exported',
    target: { kind: 'bundle', id, name },
    data: { format, revealed: values === 'all' },
    ...madeBy(stampOf(caller, clock)),
  })
}
