import { DomainError } from './errors.ts'
import type { FoundKey, ImportLibrary, PlannedImport } from './library-import-step.ts'

/*
 * An import may also remove names from its bundle. Their keys stay in the library with all versions, and in other bundles.
 */

/** A name that the bundle does not deliver after the import, and the key behind it. */
export type ImportRemoval = { name: string; key: FoundKey }

type Asked = Pick<PlannedImport, 'bundleName' | 'entries' | 'detach'>

/** The names that an import removes, in the order of `detach`.
 * @throws DomainError invalid (a name is given twice, or the bundle does not deliver it) · conflict (an inline item), with
 *   the names in `details.names` */
export function planRemovals(
  { attached, legacyNames }: ImportLibrary,
  { bundleName, entries, detach }: Asked,
): ImportRemoval[] {
  const kept = new Set(entries.map(({ name }) => name))
  const twice = detach.filter((name, index) => kept.has(name) || detach.indexOf(name) < index)
  if (twice.length > 0) throw refusal('invalid', 'a name to remove is given twice', twice)
  const missing = detach.filter((name) => !attached.has(name))
  const inline = missing.filter((name) => legacyNames.has(name))
  if (inline.length > 0)
    throw refusal('conflict', 'the bundle has inline items: convert them into keys first', inline)
  if (missing.length > 0)
    throw refusal('invalid', `the bundle ${bundleName} does not deliver what is to be removed`, missing)
  return detach.flatMap((name) => {
    const key = attached.get(name)
    return key === undefined ? [] : [{ name, key }]
  })
}

function refusal(code: 'invalid' | 'conflict', message: string, names: readonly string[]): DomainError {
  return new DomainError(code, `${message}: ${names.join(', ')}`, { details: { names } })
}
