import type { Cursor } from '../cursor.ts'
import { EnvError } from '../env-error.ts'
import type { Grammar } from '../grammar.ts'
import {
  BACKTICKED,
  DOUBLE_QUOTED,
  END_OR_COMMENT,
  neverClosed,
  noteExpansion,
  REST_OF_LINE,
  SINGLE_QUOTED,
  withoutComment,
} from './quotes.ts'

type DotenvNote = (text: string) => void

const ANY_QUOTE = /['"`]/y
// npm dotenv skips a no-break space and U+FEFF too.
const BLANKS = /[^\S\n]*/y
const BLANK_BEFORE = /(?<=[^\S\n])/y
const ESCAPED_QUOTE = /\\'(?=')/y
const SEGMENT = /([^#\n]*)(?:#[^\n]*)?(?:\n|$)/y
const LINE_BREAK_ESCAPE = /(?<!\\)\\n/g

/** `.env` text as npm dotenv reads it, and Node.js where the two agree. Where they differ, or other readers of `.env`
 * files do, there is a note. Lines that they skip without a word are refused. */
export const dotenvGrammar: Grammar = {
  allowsExport: true,
  allowsBlanks: true,
  foldsLineEnds: true,
  takeValue: (cursor, note) => {
    cursor.take(BLANKS)
    return cursor.sees(ANY_QUOTE) ? takeQuoted(cursor, note) : takeUnquoted(cursor, note)
  },
}

function takeUnquoted(cursor: Cursor, note: DotenvNote): string {
  const isAfterBlank = cursor.sees(BLANK_BEFORE)
  const value = withoutComment(cursor.take(REST_OF_LINE)?.[1] ?? '', isAfterBlank).trim()
  if (value.includes('#'))
    note('the # is part of the value here, but npm dotenv and Node.js end the value there; quote it')
  noteExpansion(value, note)
  return value
}

function takeQuoted(cursor: Cursor, note: DotenvNote): string {
  const { line, place } = cursor
  const double = cursor.take(DOUBLE_QUOTED)
  const literal = double ?? cursor.take(SINGLE_QUOTED) ?? cursor.take(BACKTICKED)
  if (literal === null) throw neverClosed(line)
  const inner = literal[1] ?? ''
  if (cursor.take(END_OR_COMMENT)) return double ? unescaped(inner, note) : verbatim(inner, note)
  if (cursor.sees(ESCAPED_QUOTE)) return takeShellIdiom(cursor, inner, note)
  cursor.backTo(place)
  return takeOuterQuotes(cursor, note)
}

// Every shell program writes a single quote as '\'', and nothing else is written so.
function takeShellIdiom(cursor: Cursor, first: string, note: DotenvNote): string {
  const { line } = cursor
  let value = first
  while (cursor.take(ESCAPED_QUOTE)) value += `'${cursor.take(SINGLE_QUOTED)?.[1] ?? ''}`
  if (!cursor.take(END_OR_COMMENT)) throw new EnvError('the value goes on after the closing quote', { line })
  note(String.raw`'\'' is read as a single quote, as a shell reads it; npm dotenv keeps the four characters`)
  return value
}

// npm dotenv drops the outer quotes of a line like 'a''b' and keeps the rest.
function takeOuterQuotes(cursor: Cursor, note: DotenvNote): string {
  const { line } = cursor
  const segment = (cursor.take(SEGMENT)?.[1] ?? '').trim()
  const quote = segment[0] ?? ''
  if (segment.length < 2 || !segment.endsWith(quote)) {
    throw new EnvError('the value goes on after the closing quote', { line })
  }
  note(
    'only the outer quotes are dropped, as npm dotenv does; Node.js ends the value at the second quote, and a shell joins the parts',
  )
  const inner = segment.slice(1, -1)
  return quote === '"' ? unescaped(inner, note) : inner
}

function verbatim(inner: string, note: DotenvNote): string {
  if (inner.endsWith('\\'))
    note('the backslash before the closing quote stays; some readers take it for an escape and read on')
  return inner
}

// npm dotenv undoes \n and \r alone, after another backslash too.
function unescaped(inner: string, note: DotenvNote): string {
  if (inner.replace(LINE_BREAK_ESCAPE, '').includes('\\')) note(ESCAPES_STAY)
  noteExpansion(inner, note)
  return inner.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\r`, '\r')
}

const ESCAPES_STAY = String.raw`npm dotenv undoes only \n and \r in double quotes, so other backslashes stay; Docker Compose, python-dotenv and shells undo \" and \\ too, and Node.js ends the value at \"`
