import { MASK } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'
import { decideAll } from './library-import-decisions.ts'
import { withKeyNames } from './library-import-names.ts'
import { type ImportLibrary, type ImportStep, invalid, type PlannedImport } from './library-import-step.ts'

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
  const legacy = entries
    .map(({ name }) => name)
    .filter((name) => legacyNames.has(name) && !attached.has(name))
  if (legacy.length === 0) return
  const message = `the bundle has inline items: convert them into keys first: ${legacy.join(', ')}`
  throw new DomainError('conflict', message, { details: { names: legacy } })
}

function requireSomethingToKeep({ attached }: ImportLibrary, { entries }: PlannedImport): void {
  const masked = entries.filter(({ name, value }) => value === MASK && !attached.has(name))
  if (masked.length === 0) return
  const names = masked.map(({ name }) => name)
  throw invalid(
    `${MASK} keeps the stored value, and the bundle has none: write the values, or leave these out`,
    names,
  )
}
