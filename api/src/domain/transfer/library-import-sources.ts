import { DomainError } from '../base/errors.ts'
import { type CopyRules, mayShow } from '../library/value-rights.ts'
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
 * name, or copies its value, so a secret is never typed or shown again. A member takes what they may put into another
 * bundle. They may also promote a value that they may not show: copy it over one that the bundle delivers, where the
 * rules of the bundle are at least as strict in every field. Under weaker rules, an owner decides who could approve a
 * request for it.
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
  const names = namesOf(taken)
  requireSources(library, names)
  requireMayTake(library, taken, { choices: asked.choices, caller })
  const only = names.map((name) => [name, [library.sources.get(name) ?? []].flat()] as const)
  const { own, share } = asked.choices
  const shared = names.filter((name) => !own.has(name))
  return {
    library: { ...library, candidates: new Map([...library.candidates, ...only]) },
    asked: {
      ...asked,
      entries: asked.entries.map((entry) => filledIn(entry, library.sources.get(entry.name), caller)),
      choices: { ...asked.choices, share: new Set([...share, ...shared]) },
    },
  }
}

function requireSources({ sources }: ImportLibrary, names: readonly string[]): void {
  const missing = names.filter((name) => !sources.has(name))
  if (missing.length === 0) return
  throw invalid('the bundle in from has no such key, or this bundle has it under another name', missing)
}

type ImportTaking = { choices: ImportEntries['choices']; caller: Caller }

function requireMayTake(
  library: ImportLibrary,
  taken: readonly ImportEntry[],
  { choices: { own }, caller }: ImportTaking,
): void {
  const unseen = taken.filter(({ name }) => {
    const source = library.sources.get(name)
    return source !== undefined && !mayShow(caller, source)
  })
  const foreign = unseen.filter(({ name }) => !(own.has(name) && mayPromote(library, name, caller)))
  if (foreign.length > 0) throw ownerRequired(namesOf(foreign))
  requireStaysSecret(library, unseen)
  // A member who may show a value can type it anywhere.
  if (caller.role !== 'owner') return
  const weaker = taken.filter(
    ({ name }) => own.has(name) && !isAllowed(library, name, (rules) => rules.mayCopy(caller)),
  )
  if (weaker.length > 0) throw rulesWeaker(namesOf(weaker))
}

const namesOf = (entries: readonly ImportEntry[]) => entries.map(({ name }) => name)

function requireStaysSecret({ sources, attached }: ImportLibrary, unseen: readonly ImportEntry[]): void {
  const composed = unseen.filter(({ name }) =>
    [sources, attached].some((keys) => keys.get(name)?.templateParts !== null),
  )
  if (composed.length > 0)
    throw invalid('only an owner can copy to or from a composed value: leave these out', namesOf(composed))
  const shown = unseen.filter(({ name, is_secret }) => is_secret === false && sources.get(name)?.is_secret)
  if (shown.length > 0) throw invalid('a promoted secret stays secret: leave out is_secret', namesOf(shown))
}

// A value that the bundle delivers is the member's to change.
function mayPromote(library: ImportLibrary, name: string, caller: Caller): boolean {
  return library.attached.has(name) && isAllowed(library, name, (rules) => rules.mayPromote(caller))
}

// A secret whose rules are not known any more is not copied.
function isAllowed(
  { sources, copyRules }: ImportLibrary,
  name: string,
  allows: (rules: CopyRules) => boolean,
): boolean {
  const rules = copyRules.get(name)
  return rules ? allows(rules) : sources.get(name)?.is_secret === false
}

function rulesWeaker(names: readonly string[]): DomainError {
  const message = `You may not approve requests for ${names.join(', ')}, and the rules of this bundle are weaker. Ask a person who may approve them, or set rules that are at least as strict`
  return new DomainError('forbidden', message, { details: { names } })
}

function filledIn(entry: ImportEntry, source: FoundKey | undefined, caller: Caller): ImportEntry {
  if (entry.from === undefined || source === undefined) return entry
  const { id, value, description, templateParts, value_set_by: setBy, value_proposed_by } = source
  const copied = {
    id,
    version: source.value_version,
    isTemplate: templateParts !== null,
    isSecret: source.is_secret,
    description,
  }
  const whose = { setBy, proposedBy: value_proposed_by ?? setBy }
  return {
    ...entry,
    value: value?.reveal() ?? '',
    copied: mayShow(caller, source) ? copied : { ...copied, whose },
  }
}
