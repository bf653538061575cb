import { Cursor } from './cursor.ts'

/** One assignment. `line` is the one that its name stands on, counted from 1. */
export type EnvEntry = { readonly name: string; readonly value: string; readonly line: number }

/** What is wrong with an ENV text, and where. The message never repeats the text, which may hold secrets. */
export class EnvParseError extends Error {
  override readonly name = 'EnvParseError'
  readonly line: number

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
    this.line = line
  }
}

const IGNORED_LINE = /[ \t]*(?:#[^\n]*|\r?)(?:\n|$)/y
const ASSIGNED_NAME = /[ \t]*([A-Za-z0-9_]+)[ \t]*=[ \t]*/y
const EXPORT = /[ \t]*export[ \t]/y
const NO_ASSIGNMENT = /[^=\n]*(?:\n|$)/y

const OPENING_QUOTE = /['"]/y
const SINGLE_QUOTED = /'([^']*)'/y
const DOUBLE_QUOTED = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y
const ESCAPED = /\\([^\r\n])/y
// Between quoted parts, whatever a shell takes as text: not blanks, not its operators, not its expansions.
const PLAIN = /[^ \t\r\n'"\\$`;&|<>()]+/y
const KEEPS_NO_BACKSLASH = /\\(?:([\\"$`])|\r?\n)/g

const REST_OF_LINE = /([^\n]*)(?:\n|$)/y
const END_OF_LINE = /[ \t]*\r?(?:\n|$)/y

/** Read lines of `NAME=value`. An unquoted value is all that follows, blanks around it apart. A value that begins with
 * a quote is read as a shell reads it, without expansions: quoted parts may be joined and may span lines.
 * @returns every assignment in the text's order; a name that is assigned twice appears twice
 * @throws EnvParseError for the first line that is none of: assignment, comment, blank */
export function parseEnv(text: string): EnvEntry[] {
  requireStorable(text)
  const cursor = new Cursor(text.startsWith('\ufeff') ? text.slice(1) : text)
  const entries: EnvEntry[] = []
  while (!cursor.atEnd) {
    if (!cursor.take(IGNORED_LINE)) entries.push(takeEntry(cursor))
  }
  return entries
}

function takeEntry(cursor: Cursor): EnvEntry {
  const { line } = cursor
  const name = cursor.take(ASSIGNED_NAME)?.[1]
  if (name === undefined) throw new EnvParseError(line, problemOfLine(cursor))
  const value = cursor.sees(OPENING_QUOTE) ? takeQuoted(cursor) : takeUnquoted(cursor)
  return { name, value, line }
}

function problemOfLine(cursor: Cursor): string {
  if (cursor.sees(EXPORT)) return '`export` is not supported; write NAME=value'
  if (cursor.sees(NO_ASSIGNMENT)) return 'expected NAME=value, but there is no ='
  return 'a name consists of letters, digits and _'
}

function takeUnquoted(cursor: Cursor): string {
  const { line } = cursor
  const value = withoutEnd(cursor.take(REST_OF_LINE)?.[1] ?? '')
  if (value.includes('\r')) throw new EnvParseError(line, 'a carriage return must be quoted')
  return value
}

// By hand, because a pattern for blanks at the end takes the square of their number on a line that is full of them.
function withoutEnd(rest: string): string {
  let end = rest.endsWith('\r') ? rest.length - 1 : rest.length
  while (end > 0 && (rest[end - 1] === ' ' || rest[end - 1] === '\t')) end -= 1
  return rest.slice(0, end)
}

function takeQuoted(cursor: Cursor): string {
  const parts: string[] = []
  for (let part = takePart(cursor); part !== null; part = takePart(cursor)) parts.push(part)
  const { line } = cursor
  if (cursor.take(END_OF_LINE)) return parts.join('')
  if (cursor.sees(OPENING_QUOTE)) throw new EnvParseError(line, 'the quote that opens here is never closed')
  throw new EnvParseError(line, 'only blanks may follow the closing quote')
}

function takePart(cursor: Cursor): string | null {
  const verbatim = cursor.take(SINGLE_QUOTED) ?? cursor.take(ESCAPED)
  if (verbatim) return verbatim[1] ?? ''
  const escaped = cursor.take(DOUBLE_QUOTED)
  if (escaped) return (escaped[1] ?? '').replaceAll(KEEPS_NO_BACKSLASH, '$1')
  return cursor.take(PLAIN)?.[0] ?? null
}

function requireStorable(text: string): void {
  const nul = text.indexOf('\0')
  if (nul !== -1) throw new EnvParseError(lineAt(text, nul), 'an environment variable cannot hold NUL')
  if (text.isWellFormed()) return
  throw new EnvParseError(lineAt(text, text.search(/\p{Surrogate}/u)), 'a lone surrogate is not text')
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
