import { EnvError, writeEnv } from '@keyferry/contract/env'
import { type BundleStore, findBundle } from './bundle.ts'
import { bundleEntries, type EntryStores } from './bundle-entry.ts'
import { DomainError } from './errors.ts'
import type { Caller } from './membership.ts'
import { maskedText, type WantedValues } from './wanted-values.ts'

/*
 * An export is the content of a bundle as ENV text or JSON. Every member may export; secret values are masked, except on
 * servers set to reveal. ENV text refuses names that no shell can assign, so that the text reads back as it was.
 */

type Exported = readonly (readonly [name: string, value: string])[]

/** A bundle's names and values; a value that is not wanted is masked.
 * @throws DomainError not_found */
export async function exportBundle(
  stores: EntryStores & { bundles: BundleStore },
  caller: Caller,
  { bundleId, values }: { bundleId: string; values: WantedValues },
): Promise<Exported> {
  const bundle = await findBundle(stores.bundles, caller, bundleId)
  const entries = await bundleEntries(stores, { tenantId: caller.tenantId, bundleId: bundle.id }, values)
  return entries.map(({ name, value }) => [name, maskedText(value)])
}

/** @throws DomainError invalid, `details.names`: names that no shell can assign */
export function envTextOf(exported: Exported): string {
  try {
    return writeEnv(exported)
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    throw new DomainError('invalid', error.message, { details: { names: error.names } })
  }
}
