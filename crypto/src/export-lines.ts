import { isCount, membersOf } from './json-text.ts'

/** The last line of an export. `next`: where the next part of the log begins; `to`: the last entry that was asked
 * for. */
export type ExportTail = {
  readonly note: string | null
  readonly next: number | null
  readonly to: number | null
  /** A signed note of `exportEnd`. */
  readonly end: string
}

/** Entries `first` to `last` of an export, and the hash of the last. `line`: the last line before its member `end`. */
type ExportEnd = {
  readonly first: number
  readonly last: number
  readonly hash: string
  readonly line: string
}

/** The text that the server signs at the end of an export, with its last line feed. */
export function exportEnd({ first, last, hash, line }: ExportEnd): string {
  return `keyferry export v1\n${first} ${last}\n${Buffer.from(hash, 'hex').toString('base64')}\n${line}\n`
}

/** The last line of an export. */
export function lastLine(line: string, end: string): string {
  return `${line}${END}${JSON.stringify(end)}}`
}

/** A last line before its member `end`. */
export function beforeEnd(line: string): string {
  return line.slice(0, line.lastIndexOf(END))
}

const END = ',"end":'

/** @returns null where these are not the members of a last line */
export function endingOf(members: Readonly<Record<string, unknown>>): ExportTail | null {
  const { note, next_from_seq: next = null, to_seq: to = null, end } = members
  if (typeof end !== 'string') return null
  if (note !== null && typeof note !== 'string') return null
  if (next !== null && !isCount(next)) return null
  return to !== null && !isCount(to) ? null : { note, next, to, end }
}

/** Whether an export says that it ends before the log does, at this entry. */
export function isPart({ next, to }: ExportTail, last: number): boolean {
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
