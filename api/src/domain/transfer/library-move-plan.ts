import type { LibraryContent, MOVE_ACTIONS } from '@keyferry/contract'
import type { Plaintext } from '@keyferry/crypto/plaintext'
import { DomainError } from '../base/errors.ts'
import { libraryName } from '../library/library-name.ts'

/*
 * What a move does with each bundle and key of another library. It only adds: a bundle whose name exists is left out,
 * and a key whose name exists gets another library name. An equal key is used as it is, so that bundles that share a
 * key still share it if they arrive by two moves.
 */

type MoveAction = (typeof MOVE_ACTIONS)[number]

/** A key of the receiving library whose name is also in the move. */
export type NamedKey = {
  id: string
  name: string
  value: Plaintext
  value_version: number
  is_secret: boolean
  isTemplate: boolean
}

/** What a move reads of the receiving library. */
export type ReceivingLibrary = {
  /** Those names of the move that bundles have. */
  bundleNames: ReadonlySet<string>
  keys: ReadonlyMap<string, NamedKey>
  isTaken: (keyName: string) => boolean
}

type MovedBundle = { bundle: LibraryContent['bundles'][number]; action: MoveAction }

/** `existing`: the key that has its name. `keyName`: its library name after the move. */
export type MovedKey = {
  key: LibraryContent['keys'][number]
  action: MoveAction
  existing: NamedKey | null
  keyName: string
}

/** In the order of the content. */
export type MoveSteps = { bundles: readonly MovedBundle[]; keys: readonly MovedKey[] }

/** @throws DomainError invalid: a new library name is too long */
export function planMove(library: ReceivingLibrary, content: LibraryContent): MoveSteps {
  const bundles = content.bundles.map((bundle) => {
    const action: MoveAction = library.bundleNames.has(bundle.name) ? 'left_out' : 'create'
    return { bundle, action }
  })
  const keys = content.keys.map((key, index) => decide(key, { index, library, bundles }))
  return { bundles, keys: withNewNames(keys, { library, bundles }) }
}

type MoveContext = { index: number; library: ReceivingLibrary; bundles: readonly MovedBundle[] }

function decide(key: MovedKey['key'], { index, library, bundles }: MoveContext): MovedKey {
  const existing = library.keys.get(key.name) ?? null
  const users = bundles.filter(({ bundle }) => bundle.entries.some((entry) => entry.key === index))
  const arrives = users.some(({ action }) => action === 'create')
  const step = { key, existing, keyName: key.name }
  if (users.length > 0 && !arrives) return { ...step, action: 'left_out' }
  if (existing === null) return { ...step, action: 'create' }
  if (isEqual(key, existing)) return { ...step, action: 'share' }
  return { ...step, action: arrives ? 'rename' : 'left_out' }
}

function isEqual({ value, is_secret, is_template }: MovedKey['key'], existing: NamedKey): boolean {
  if (is_secret !== existing.is_secret || is_template !== existing.isTemplate) return false
  return existing.value.reveal() === value
}

type NamingContext = Pick<MoveContext, 'library' | 'bundles'>

/** Name the keys that cannot keep their names as those of their first bundle. */
function withNewNames(keys: readonly MovedKey[], { library, bundles }: NamingContext): MovedKey[] {
  const given = new Set(keys.filter(({ action }) => action === 'create').map(({ keyName }) => keyName))
  const isTaken = (name: string) => library.isTaken(name) || given.has(name)
  return keys.map((step, index) => {
    const use = step.action === 'rename' ? firstUse(bundles, index) : null
    if (use === null) return step
    const keyName = libraryName(use, isTaken)
    given.add(keyName)
    return { ...step, keyName }
  })
}

function firstUse(bundles: readonly MovedBundle[], index: number) {
  for (const { bundle, action } of bundles) {
    const entry = action === 'create' ? bundle.entries.find(({ key }) => key === index) : undefined
    if (entry) return { bundleName: bundle.name, name: entry.name }
  }
  return null
}

// A clock that was never set says 1970 or 2000.
const FIRST_CHANGE = '2020-01-01T00:00:00.000Z'

/** When a value last changed on the other server, as the file claims. The server cannot check it, so it counts for the
 * age of the value and proves nothing.
 * @returns null for a time that cannot be true; then the value counts as changed by the move */
export function changeElsewhere(claimed: string | null, movedAt: string): string | null {
  if (claimed === null) return null
  const changedAt = new Date(claimed).toISOString()
  return changedAt >= FIRST_CHANGE && changedAt <= movedAt ? changedAt : null
}

/** @throws DomainError invalid: names or entries of the content contradict one another */
export function requireWhole({ keys, bundles }: LibraryContent): void {
  requireUnique(keys.map(({ name }) => name))
  requireUnique(bundles.map(({ name }) => name))
  for (const { entries } of bundles) {
    requireUnique(entries.map(({ name }) => name))
    requireUnique(entries.map(({ key }) => key))
    if (entries.some(({ key }) => keys[key] === undefined)) throw contradiction()
  }
}

function requireUnique(names: readonly unknown[]): void {
  if (new Set(names).size < names.length) throw contradiction()
}

function contradiction(): DomainError {
  return new DomainError('invalid', 'the library file contradicts itself: export it again')
}
