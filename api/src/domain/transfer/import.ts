import { environmentValue, type ImportItems, KeyName, LIMITS } from '@keyferry/contract'
import { EnvError, parseEnv } from '@keyferry/contract/env'
import { Plaintext } from '@keyferry/crypto/plaintext'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { stampOf } from '../base/stamp.ts'
import { type BundleStore, findBundle } from '../library/bundle.ts'
import type { EntryStores } from '../library/bundle-entry.ts'
import type { LegacyItemStore } from '../library/legacy-item.ts'
import { maskedOver } from '../library/mask.ts'
import type { Caller } from '../people/membership.ts'
import { invalid } from './library-import-step.ts'

/*
 * An import writes ENV text or a JSON object into a bundle as legacy items, all of them or none. Known items get the
 * new value and keep their mark (secret or not); new items are secret. One invalid line refuses the whole import and
 * is named. A masked value over a secret is refused, because it would destroy the value.
 */

export type ImportFrom = z.output<typeof ImportItems>

const ImportedValue = environmentValue('value must be a string')

/** Import ENV text or a map as legacy items, all or nothing; known items keep their secret mark.
 * @throws DomainError invalid (`details.line` for ENV text; `details.names` for masked secrets) · not_found */
export async function importItems(
  stores: EntryStores & { bundles: BundleStore; legacyItems: LegacyItemStore },
  caller: Caller,
  { bundleId, from, clock }: { bundleId: string; from: ImportFrom; clock: ClockAndIds },
): Promise<{ created: number; updated: number }> {
  const place = { tenantId: caller.tenantId, bundleId }
  await findBundle(stores.bundles, place, bundleId)
  const values = valuesOf(from)
  const names = await maskedOver(stores, place, values)
  if (names.length > 0) throw invalid('masked values cannot be imported over secrets', names)
  const items = [...values].map(([name, value]) => ({
    id: clock.newId(),
    name,
    value: Plaintext.of(value),
    is_secret: undefined,
  }))
  return stores.legacyItems.upsert(place, items, stampOf(caller, clock))
}

// A name given twice gets its last value, as in a shell.
function valuesOf(from: ImportFrom): ReadonlyMap<string, string> {
  const values = from.format === 'env' ? parsed(from.payload) : new Map(Object.entries(from.data))
  if (values.size <= LIMITS.importEntries) return values
  throw new DomainError('invalid', `an import must hold at most ${LIMITS.importEntries} entries`)
}

function parsed(payload: string): Map<string, string> {
  try {
    const entries = parseEnv(payload)
    for (const entry of entries) requireValid(entry)
    return new Map(entries.map(({ name, value }) => [name, value]))
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    throw new DomainError('invalid', error.message, { details: { line: error.line } })
  }
}

function requireValid({ name, value, line }: { name: string; value: string; line: number }): void {
  const problem = KeyName.safeParse(name).error ?? ImportedValue.safeParse(value).error
  if (problem) throw new EnvError(problem.issues[0]?.message ?? 'invalid entry', { line })
}
