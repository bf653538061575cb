import { isCount, membersOf } from './json-text.ts'

/** The last line of an export. `next`: where the next part of the log begins; `to`: the last entry that was asked
 * for. */
export type Ending = {
  readonly note: string | null
  readonly next: number | null
  readonly to: number | null
}

/** @returns null where these are not the members of a last line */
export function endingOf(members: Readonly<Record<string, unknown>>): Ending | null {
  const { note, next_from_seq: next = null, to_seq: to = null } = members
  if (note !== null && typeof note !== 'string') return null
  if (next !== null && !isCount(next)) return null
  return to !== null && !isCount(to) ? null : { note, next, to }
}

/** Whether an export says that it ends before the log does, at this entry. */
export function isPart({ next, to }: Ending, last: number): boolean {
  return next !== null || (to !== null && to <= last)
}

/** A restore of a backup: entries of `epochBefore` after entry `seq` were lost. `at`: an ISO timestamp. */
export type Restore = { readonly at: string; readonly epochBefore: number; readonly seq: number }

/** @returns null where these are not the members of the event of a restore */
export function restoreOf({ action, at, data }: Readonly<Record<string, unknown>>): Restore | null {
  const { epoch_before: epochBefore, seq } = membersOf(data) ?? {}
  const isRestore = action === 'audit.restored' && typeof at === 'string'
  return isRestore && isCount(epochBefore) && isCount(seq) ? { at, epochBefore, seq } : null
}
