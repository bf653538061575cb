import { CHANGERS, type Changers, TIMES } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'
import { type Caller, ownerRequired } from '../people/membership.ts'

/*
 * What a member may do with a value depends on who set it and on the bundles that contain it: what each of them says
 * who may change its values, and the strictest counts. An owner may do everything. Who created the key does not matter:
 * a value that an owner stored is none of its creator's.
 */

/** `value_set_by`: who set the current value. `value_proposed_by`: of a value that another person stored or promoted,
 * whose it is. `changers`: the strictest of what the bundles that contain the key say. */
export type ValueRights = { value_set_by: string; value_proposed_by: string | null; changers: Changers }

/** Who may change the values of a bundle, if neither it nor its workspace says so. */
const DEFAULT_CHANGERS: Changers = 'setter'

/** The strictest of what several places set; undefined: none sets anything. */
export function strictestChangers(places: readonly { changers: Changers | null }[]): Changers | undefined {
  return CHANGERS.findLast((changers) => places.some((place) => place.changers === changers))
}

/** @param places what the workspace sets, and what the bundles and folders set that count */
export function changersAt(places: readonly { changers: Changers | null }[]): Changers {
  return strictestChangers(places) ?? DEFAULT_CHANGERS
}

export function mayChange(caller: Caller, key: ValueRights): boolean {
  if (caller.role === 'owner' || key.changers === 'member') return true
  return key.changers === 'setter' && isSetter(caller, key)
}

// Who typed a value that another person put here has no right in this place.
function isSetter({ userId }: Caller, { value_set_by, value_proposed_by }: ValueRights): boolean {
  return value_set_by === userId && value_proposed_by === null
}

/** Whether the caller may say that the value is no secret, compare it, or put its key into another bundle. Only who set
 * it may, and only if they may still change it. */
export function mayShow(caller: Caller, key: ValueRights): boolean {
  return caller.role === 'owner' || (mayChange(caller, key) && isSetter(caller, key))
}

/** Whether the caller may learn that a value is the current one. Who may change a secret that another person set must
 * not guess it. */
export function mayCompare(caller: Caller, key: ValueRights & { is_secret: boolean }): boolean {
  return !key.is_secret || mayShow(caller, key)
}

/** `set_at`: of the current value, as `at` of the change an ISO timestamp. */
type Undoing = ValueRights & { version: number; set_at: string }

/** Whether the caller may put an older value back. A member may undo their own change for a while. The value stays that
 * of the person who set it, so undoing gives the member no right to show it. */
export function mayRestore(caller: Caller, key: Undoing, { version, at }: { version: number; at: string }) {
  if (caller.role === 'owner') return true
  const isRecent = Date.parse(at) - Date.parse(key.set_at) <= TIMES.undoSeconds * 1_000
  return version === key.version - 1 && isRecent && mayShow(caller, key)
}

/** What is asked of a change. `value`: a new one; absent where the text stays. */
type AskedChange = { is_secret?: boolean | undefined; isTemplate?: boolean | undefined; value?: unknown }

/** A part of a composed value can be in a bundle out of reach.
 * @throws DomainError forbidden */
export function requireMayCompose({ reach }: Caller): void {
  if (reach !== null)
    throw new DomainError('forbidden', 'You see only some bundles: an owner composes values for you')
}

/** A change that says that a value is no secret shows it. A text that becomes a template, or stops being one, is set
 * anew by the caller, who could show it next.
 * @throws DomainError forbidden */
export function requireChangeAllowed(
  caller: Caller,
  key: ValueRights,
  { is_secret, isTemplate, value, wasTemplate = false }: AskedChange & { wasTemplate?: boolean },
): void {
  if (isTemplate ?? (value !== undefined && wasTemplate)) requireMayCompose(caller)
  const takesOver = isTemplate !== undefined && value === undefined
  requireRight(is_secret === false || takesOver ? mayShow(caller, key) : mayChange(caller, key))
}

/** `isRuled`: the bundle or a folder over it sets a rule, or an owner says that it is for production. `sharedOutside`:
 * ids of its secrets that bundles out of the caller's reach contain too. */
export type BundleRights = {
  created_by: string
  changers: Changers
  isRuled: boolean
  sharedOutside: ReadonlySet<string>
}

/** Whether the caller may change what a bundle contains, its name and its texts. */
export function mayEditBundle({ userId, role }: Caller, { created_by, changers }: BundleRights): boolean {
  if (role === 'owner' || changers === 'member') return true
  return changers === 'setter' && created_by === userId
}

/** Whether the caller may duplicate a bundle: its values would come free of its rules. */
export function mayDuplicate({ role }: Caller, { isRuled, sharedOutside }: BundleRights): boolean {
  return role === 'owner' || (!isRuled && sharedOutside.size === 0)
}

/** Who may copy a secret into the receiving bundle, by the rules of the secret and of the bundle. */
export type CopyRules = {
  /** A member who may not show it. */
  mayPromote: (caller: Caller) => boolean
  /** An owner. */
  mayCopy: (caller: Caller) => boolean
}

/** @throws DomainError forbidden */
export function requireRight(isAllowed: boolean): void {
  if (!isAllowed) throw ownerRequired()
}
