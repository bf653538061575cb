import { MASK } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'
import { libraryName } from '../library/library-name.ts'
import { decideAll } from './library-import-decisions.ts'
import {
  changedSince,
  type Decision,
  type EntryAction,
  type FoundKey,
  type ImportLibrary,
  type ImportStep,
  invalid,
  makesKey,
  type PlannedImport,
  refusal,
} from './library-import-step.ts'

/*
 * What an import does with each variable. Two environments may have different values for one name, so a value that
 * differs from another bundle's becomes a new key. An equal value is shared within one application, but a secret never
 * between production and other environments, unless the caller named it in `share`. A plan changes a key that another
 * bundle uses only if the caller named it in `replace`. A template stays unless the caller named it: the value of a
 * file is often one that the bundle composes, and would end that. After a plan is applied, planning the same import
 * again gives an empty plan.
 */

/** What an import does with each entry, in their order.
 * @throws DomainError invalid · conflict · name_taken, each with the names in `details.names` */
export function planImport(library: ImportLibrary, asked: PlannedImport): ImportStep[] {
  requireSense(asked)
  requireNoLegacyItems(library, asked)
  requireSomethingToKeep(library, asked)
  return withKeyNames(decideAll(library, asked), library, asked)
}

function requireSense({ entries, choices: { own, share, replace, keyNames } }: PlannedImport): void {
  const names = entries.map(({ name }) => name)
  const known = new Set(names)
  if (known.size < names.length) throw invalid('an entry is given twice', repeated(names))
  const treated = [...own, ...share, ...(replace === 'all' ? [] : replace)]
  if (new Set(treated).size < treated.length) {
    throw invalid('choose only one of own, share and replace', repeated(treated))
  }
  const unknown = [...treated, ...keyNames.keys()].filter((name) => !known.has(name))
  if (unknown.length > 0) throw invalid('own, share, replace and key_names must name entries', unknown)
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) < index))]
}

function requireNoLegacyItems({ attached, legacyNames }: ImportLibrary, { entries }: PlannedImport): void {
  const names = entries.map(({ name }) => name)
  const inline = names.filter((name) => legacyNames.has(name) && !attached.has(name))
  if (inline.length > 0) throw refusal('conflict', INLINE, inline)
}

const INLINE = 'the bundle has inline items: convert them into keys first'

function requireSomethingToKeep({ attached }: ImportLibrary, { entries }: PlannedImport): void {
  const masked = entries.filter(({ name, value }) => value === MASK && !attached.has(name))
  if (masked.length === 0) return
  const names = masked.map(({ name }) => name)
  throw invalid(
    `${MASK} keeps the stored value, and the bundle has none: write the values, or leave these out`,
    names,
  )
}

/** Give each new key a library name: the requested one, the entry's own, or one made of both names.
 * @throws DomainError name_taken: the library has a key of a requested name */
function withKeyNames(
  decisions: readonly Decision[],
  library: ImportLibrary,
  { bundleName, choices: { keyNames }, isOwnNamed }: PlannedImport,
): ImportStep[] {
  const reserved = new Set<string>()
  const isTaken = (name: string) => library.isTaken(name) || reserved.has(name)
  const given = new Map(
    decisions.filter(makesKey).map(({ entry: { name }, action }) => [name, nameOf(name, action)]),
  )

  function nameOf(name: string, action: EntryAction): string | null {
    if (isOwnNamed) return null
    const asked = keyNames.get(name)
    if (asked !== undefined && isTaken(asked)) throw libraryNameTaken(name, asked)
    const wanted = asked ?? (action === 'create' && !isTaken(name) ? name : null)
    if (wanted !== null) reserved.add(wanted)
    return wanted
  }

  return decisions.map((decision) => {
    const { name } = decision.entry
    if (!makesKey(decision)) return { ...decision, keyName: decision.key?.name ?? name }
    const keyName = given.get(name) ?? libraryName({ bundleName, name }, isTaken)
    reserved.add(keyName)
    return { ...decision, keyName }
  })
}

function libraryNameTaken(name: string, keyName: string): DomainError {
  const message = `the library has a key ${keyName}: choose another name for ${name} with key_names`
  return new DomainError('name_taken', message, { details: { names: [name] } })
}

/*
 * An import can also remove names from its bundle. Their keys stay in the library with all versions, and in other
 * bundles. A template that needs a removed name loses its value.
 */

/** A name that the bundle does not deliver after the import, and its key. `breaks`: names that the bundle cannot
 * compose without it. */
export type ImportRemoval = Pick<ImportStep, 'changed'> & {
  name: string
  key: FoundKey
  breaks: readonly string[]
}

type ImportWish = Pick<PlannedImport, 'bundleName' | 'entries' | 'detach' | 'base'>

/** The names that an import removes, in the order of `detach`.
 * @param steps what it does with its entries
 * @throws DomainError invalid (a name is given twice, or the bundle does not deliver it) · conflict (an inline item),
 *   with the names in `details.names` */
export function planRemovals(
  { attached, legacyNames, templates }: ImportLibrary,
  { bundleName, entries, detach, base }: ImportWish,
  steps: readonly ImportStep[],
): ImportRemoval[] {
  const kept = new Set(entries.map(({ name }) => name))
  const twice = detach.filter((name, index) => kept.has(name) || detach.indexOf(name) < index)
  if (twice.length > 0) throw invalid('a name to remove is given twice', twice)
  const missing = detach.filter((name) => !attached.has(name))
  const inline = missing.filter((name) => legacyNames.has(name))
  if (inline.length > 0) throw refusal('conflict', INLINE, inline)
  if (missing.length > 0)
    throw invalid(`the bundle ${bundleName} does not deliver the names to remove`, missing)
  const written = steps.filter(({ action }) => action !== 'same' && action !== 'kept')
  const ended = new Set([...detach, ...written.map(({ entry }) => entry.name)])
  const composed = [...templates].filter(([name]) => !ended.has(name))
  return detach.flatMap((name) => {
    const key = attached.get(name)
    const breaks = composed.filter(([, parts]) => parts.includes(name)).map(([template]) => template)
    return key === undefined ? [] : [{ name, key, breaks, ...changedSince(key, name, base) }]
  })
}
