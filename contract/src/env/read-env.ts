import { Cursor } from './cursor.ts'
import { EnvError } from './env-error.ts'
import type { Grammar } from './grammar.ts'

/** One variable. `line` is the one with its name, counted from 1. */
export type EnvEntry = { readonly name: string; readonly value: string; readonly line: number }

export type EnvText = {
  /** Every assignment in order; a name that is assigned twice appears twice. */
  readonly entries: readonly EnvEntry[]
  /** What other programs read differently, and how long the value is that was read: `line 3: …`. No values. */
  readonly notes: readonly string[]
  /** The lines that could not be read, and why. Never more than MOST_PROBLEMS. */
  readonly problems: readonly EnvError[]
}

const MOST_PROBLEMS = 100

const IGNORED_LINE = /[ \t]*(?:#[^\n]*|\r?)(?:\n|$)/y
const ANY_LINE = /[^\n]*(?:\n|$)/y
const EXPORT = /[ \t]*export[ \t]+/y
const NAME = /[ \t]*([A-Za-z0-9_]+)=/y
const SPACED_NAME = /[ \t]*([A-Za-z0-9_]+)[ \t]*=[ \t]*/y
const NO_ASSIGNMENT = /[^=\n]*(?:\n|$)/y

/** Read lines of `NAME=value`, comments and blank lines. A line that cannot be read becomes a problem; reading goes on
 * with the next line. */
export function readEnv(text: string, grammar: Grammar): EnvText {
  const unstorable = problemOfText(text)
  if (unstorable) return { entries: [], notes: [], problems: [unstorable] }
  const cursor = new Cursor(prepared(text, grammar))
  const read: EnvReading = { entries: [], notes: notesOfText(text, grammar), problems: [] }
  while (!cursor.atEnd && read.problems.length < MOST_PROBLEMS) {
    if (!cursor.take(IGNORED_LINE)) takeLine(cursor, grammar, read)
  }
  return read
}

type EnvReading = { entries: EnvEntry[]; notes: string[]; problems: EnvError[] }

function takeLine(cursor: Cursor, grammar: Grammar, { entries, notes, problems }: EnvReading): void {
  const place = cursor.place
  const { line } = cursor
  const found: string[] = []
  try {
    const name = takeName(cursor, grammar)
    const value = grammar.takeValue(cursor, (text) => found.push(text))
    entries.push({ name, line, value })
    notes.push(...found.map((text) => `line ${line}: ${text} (${name} is read as ${lengthText(value)})`))
  } catch (error) {
    if (!(error instanceof EnvError)) throw error
    problems.push(error)
    cursor.backTo(place)
    cursor.take(ANY_LINE)
  }
}

function lengthText(value: string): string {
  const [characters, lines] = [Array.from(value).length, value.split('\n').length]
  const length = characters === 1 ? '1 character' : `${characters} characters`
  return lines === 1 ? length : `${length} on ${lines} lines`
}

function takeName(cursor: Cursor, grammar: Grammar): string {
  const { line } = cursor
  const pattern = grammar.allowsBlanks ? SPACED_NAME : NAME
  const plain = cursor.take(pattern)?.[1]
  if (plain !== undefined) return plain
  const isExport = cursor.take(EXPORT) !== null
  const name = isExport && grammar.allowsExport ? cursor.take(pattern)?.[1] : undefined
  if (name !== undefined) return name
  throw new EnvError(problemOfLine(cursor, grammar, isExport), { line })
}

function problemOfLine(cursor: Cursor, grammar: Grammar, isExport: boolean): string {
  if (isExport && !grammar.allowsExport) return '`export` is not supported; write NAME=value'
  if (cursor.sees(NO_ASSIGNMENT)) return 'expected NAME=value, but there is no ='
  if (cursor.sees(SPACED_NAME)) return 'a shell allows no blanks around the ='
  return 'a name consists of letters, digits and _'
}

function prepared(text: string, { foldsLineEnds }: Grammar): string {
  const whole = text.startsWith('\ufeff') ? text.slice(1) : text
  return foldsLineEnds ? whole.replace(/\r\n?/g, '\n') : whole
}

function notesOfText(text: string, { foldsLineEnds }: Grammar): string[] {
  const lone = text.search(/\r(?!\n)/)
  if (!foldsLineEnds || lone === -1) return []
  const line = text.slice(0, lone).split(/\r\n?|\n/).length
  return [`line ${line}: a lone carriage return ends the line, as in npm dotenv; Node.js ignores it`]
}

function problemOfText(text: string): EnvError | null {
  const nul = text.indexOf('\0')
  if (nul !== -1) return new EnvError('an environment variable cannot hold NUL', { line: lineAt(text, nul) })
  if (text.isWellFormed()) return null
  return new EnvError('a lone surrogate is not text', { line: lineAt(text, text.search(/\p{Surrogate}/u)) })
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
