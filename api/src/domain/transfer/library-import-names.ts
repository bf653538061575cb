import { DomainError } from '../base/errors.ts'
import { libraryName } from '../library/library-name.ts'
import {
  type Decision,
  type EntryAction,
  type ImportLibrary,
  type ImportStep,
  makesKey,
  type PlannedImport,
} from './library-import-step.ts'

/** Give each new key a library name: the requested one, the entry's own, or one made of both names.
 * @throws DomainError name_taken: the library has a key of a requested name */
export function withKeyNames(
  decisions: readonly Decision[],
  library: ImportLibrary,
  { bundleName, choices: { keyNames } }: PlannedImport,
): ImportStep[] {
  const reserved = new Set<string>()
  const isTaken = (name: string) => library.isTaken(name) || reserved.has(name)
  const given = new Map(
    decisions.filter(makesKey).map(({ entry: { name }, action }) => [name, nameOf(name, action)]),
  )

  function nameOf(name: string, action: EntryAction): string | null {
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
