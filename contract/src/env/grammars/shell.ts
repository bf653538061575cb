import type { Cursor } from '../cursor.ts'
import { EnvError } from '../env-error.ts'
import type { Grammar } from '../grammar.ts'
import { noteExpansion, takeJoined } from './quotes.ts'

// `$` is text here, with a note; what runs commands, or ends the word, is refused.
const PLAIN = /[^ \t\r\n'"\\`;&|<>()]+/y
const END = /[ \t]*\r?(?:\n|$)|[ \t]+#[^\n]*(?:\n|$)/y
const ASSIGNED = /(?:'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\\[\s\S]|[^'"\\\n]+)*/y
const SINGLE_QUOTED_PARTS = /'[^']*'|\\\$/g

/** Assignments as a POSIX shell reads them, without expansions. */
export const shellGrammar: Grammar = {
  allowsExport: true,
  allowsBlanks: false,
  foldsLineEnds: false,
  takeValue: (cursor, note) => {
    const { line } = cursor
    const source = sourceOf(cursor)
    const value = takeJoined(cursor, { plain: PLAIN, end: END })
    if (source.startsWith("$'"))
      throw new EnvError("$'…' is not supported; write the characters themselves", { line })
    noteExpansion(source.replace(SINGLE_QUOTED_PARTS, ''), note)
    return value
  },
}

function sourceOf(cursor: Cursor): string {
  const { place } = cursor
  const source = cursor.take(ASSIGNED)?.[0] ?? ''
  cursor.backTo(place)
  return source
}
