import { mayShow } from '../library/value-rights.ts'
import { type Caller, ownerRequired } from '../people/membership.ts'
import {
  type FoundKey,
  type ImportEntry,
  type ImportLibrary,
  invalid,
  type PlannedImport,
} from './library-import-step.ts'

/*
 * An entry may name a bundle in the place of a value. The import then uses the key that this bundle delivers under the
 * name, or copies its value, so a secret is never typed or shown again. A member may take only what they may put into
 * another bundle.
 */

type ImportEntries = Pick<PlannedImport, 'entries' | 'choices'>

/** The same import with the values that its entries take from bundles.
 * @throws DomainError invalid: a bundle does not deliver the name · forbidden */
export function withSources<A extends ImportEntries>(
  library: ImportLibrary,
  asked: A,
  caller: Caller,
): { library: ImportLibrary; asked: A } {
  const taken = asked.entries.filter(({ from }) => from !== undefined)
  if (taken.length === 0) return { library, asked }
  const names = taken.map(({ name }) => name)
  requireSources(library, names, caller)
  const only = names.map((name) => [name, [library.sources.get(name) ?? []].flat()] as const)
  const { own, share } = asked.choices
  const shared = names.filter((name) => !own.has(name))
  return {
    library: { ...library, candidates: new Map([...library.candidates, ...only]) },
    asked: {
      ...asked,
      entries: asked.entries.map((entry) => filledIn(entry, library.sources.get(entry.name))),
      choices: { ...asked.choices, share: new Set([...share, ...shared]) },
    },
  }
}

function requireSources({ sources }: ImportLibrary, names: readonly string[], caller: Caller): void {
  const missing = names.filter((name) => !sources.has(name))
  if (missing.length > 0) {
    throw invalid('the bundle in from has no such key, or this bundle has it under another name', missing)
  }
  const foreign = names.filter((name) => {
    const key = sources.get(name)
    return key !== undefined && !mayShow(caller, key)
  })
  if (foreign.length > 0) throw ownerRequired(foreign)
}

function filledIn(entry: ImportEntry, source: FoundKey | undefined): ImportEntry {
  if (entry.from === undefined || source === undefined) return entry
  const { id, value, description, templateParts } = source
  return {
    ...entry,
    value: value?.reveal() ?? '',
    copied: { id, isTemplate: templateParts !== null, description },
  }
}
