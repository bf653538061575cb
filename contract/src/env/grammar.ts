import type { Cursor } from './cursor.ts'

/** How one dialect of ENV text is read. */
export type Grammar = {
  /** Whether `export NAME=value` is an assignment. */
  readonly allowsExport: boolean
  /** Whether blanks may stand around the `=`. */
  readonly allowsBlanks: boolean
  /** Whether CRLF and a lone CR count as a line feed, in quotes too. */
  readonly foldsLineEnds: boolean
  /** Read the value at the cursor and the end of its line.
   * @param note called with each construct that other programs read differently
   * @throws EnvError with the line */
  readonly takeValue: (cursor: Cursor, note: (text: string) => void) => string
}
