import { DomainError } from '../base/errors.ts'
import type { FoundKey, ImportLibrary, ImportStep, PlannedImport } from './library-import-step.ts'

/*
 * An import can also remove names from its bundle. Their keys stay in the library with all versions, and in other
 * bundles. A template that needs a removed name loses its value.
 */

/** A name that the bundle does not deliver after the import, and its key. `breaks`: names that the bundle cannot
 * compose without it. */
export type ImportRemoval = { name: string; key: FoundKey; breaks: readonly string[] }

type Asked = Pick<PlannedImport, 'bundleName' | 'entries' | 'detach'>

/** The names that an import removes, in the order of `detach`.
 * @param steps what it does with its entries
 * @throws DomainError invalid (a name is given twice, or the bundle does not deliver it) · conflict (an inline item),
 *   with the names in `details.names` */
export function planRemovals(
  { attached, legacyNames, templates }: ImportLibrary,
  { bundleName, entries, detach }: Asked,
  steps: readonly ImportStep[],
): ImportRemoval[] {
  const kept = new Set(entries.map(({ name }) => name))
  const twice = detach.filter((name, index) => kept.has(name) || detach.indexOf(name) < index)
  if (twice.length > 0) throw refusal('invalid', 'a name to remove is given twice', twice)
  const missing = detach.filter((name) => !attached.has(name))
  const inline = missing.filter((name) => legacyNames.has(name))
  if (inline.length > 0)
    throw refusal('conflict', 'the bundle has inline items: convert them into keys first', inline)
  if (missing.length > 0)
    throw refusal('invalid', `the bundle ${bundleName} does not deliver the names to remove`, missing)
  const written = steps.filter(({ action }) => action !== 'same' && action !== 'kept')
  const ended = new Set([...detach, ...written.map(({ entry }) => entry.name)])
  const composed = [...templates].filter(([name]) => !ended.has(name))
  return detach.flatMap((name) => {
    const key = attached.get(name)
    const breaks = composed.filter(([, parts]) => parts.includes(name)).map(([template]) => template)
    return key === undefined ? [] : [{ name, key, breaks }]
  })
}

function refusal(code: 'invalid' | 'conflict', message: string, names: readonly string[]): DomainError {
  return new DomainError(code, `${message}: ${names.join(', ')}`, { details: { names } })
}
