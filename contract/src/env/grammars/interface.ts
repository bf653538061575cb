import type { Cursor } from '../cursor.ts'
import { EnvError } from '../env-error.ts'
import type { Grammar } from '../grammar.ts'
import { OPENING_QUOTE, REST_OF_LINE, takeJoined } from './quotes.ts'

// What a shell takes as text between quoted parts: not blanks, not its operators, not its expansions.
const PLAIN = /[^ \t\r\n'"\\$`;&|<>()]+/y
const END_OF_LINE = /[ \t]*\r?(?:\n|$)/y

/** The strict grammar of the API's import. An unquoted value is the rest of the line without the blanks around it. A
 * value that begins with a quote is read as a shell reads it, without expansions. */
export const interfaceGrammar: Grammar = {
  allowsExport: false,
  allowsBlanks: true,
  foldsLineEnds: false,
  takeValue: (cursor) => {
    if (cursor.sees(OPENING_QUOTE)) return takeJoined(cursor, { plain: PLAIN, end: END_OF_LINE })
    return takeUnquoted(cursor)
  },
}

function takeUnquoted(cursor: Cursor): string {
  const { line } = cursor
  const value = withoutEnd(cursor.take(REST_OF_LINE)?.[1] ?? '')
  if (value.includes('\r')) throw new EnvError('a carriage return must be quoted', { line })
  return value
}

// By hand, because a pattern for blanks at the end takes quadratic time on a line full of them.
function withoutEnd(rest: string): string {
  let end = rest.endsWith('\r') ? rest.length - 1 : rest.length
  while (end > 0 && (rest[end - 1] === ' ' || rest[end - 1] === '\t')) end -= 1
  return rest.slice(0, end)
}
