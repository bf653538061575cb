import type { Cursor } from '../cursor.ts'
import { EnvError } from '../env-error.ts'
import type { Grammar } from '../grammar.ts'
import { DOUBLE_QUOTED, neverClosed, noteExpansion, OPENING_QUOTE, REST_OF_LINE } from './quotes.ts'

type ComposeNote = (text: string) => void

const SINGLE_QUOTED = /'([^'\\]*(?:\\[\s\S][^'\\]*)*)'/y
const END = /[ \t]*(?:#[^\n]*|\r)?(?:\n|$)/y
const ESCAPE = /\\(0[0-7]{1,3}|[\s\S])/g
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
  $: '$',
}

/** `.env` text as Docker Compose reads it, without expansions. */
export const composeGrammar: Grammar = {
  allowsExport: true,
  allowsBlanks: true,
  foldsLineEnds: false,
  takeValue: (cursor, note) =>
    cursor.sees(OPENING_QUOTE) ? takeQuoted(cursor, note) : takeUnquoted(cursor, note),
}

function takeUnquoted(cursor: Cursor, note: ComposeNote): string {
  const { line } = cursor
  const [text = ''] = (cursor.take(REST_OF_LINE)?.[1] ?? '').split(' #')
  const value = text.trim()
  if (value.includes('\r')) throw new EnvError('a carriage return must be quoted', { line })
  return withDollars(value, note)
}

function takeQuoted(cursor: Cursor, note: ComposeNote): string {
  const { line } = cursor
  const single = cursor.take(SINGLE_QUOTED)
  const quoted = single ?? cursor.take(DOUBLE_QUOTED)
  if (quoted === null) throw neverClosed(line)
  if (!cursor.take(END)) throw new EnvError('the value goes on after the closing quote', { line })
  const inner = quoted[1] ?? ''
  if (single) return inner.replace(ESCAPE, (whole, letter) => (letter === "'" ? "'" : whole))
  noteExpansion(inner.replaceAll(/\\[\s\S]|\$\$/g, ''), note)
  return inner.replace(/\$\$|\\(0[0-7]{1,3}|[\s\S])/g, unescaped)
}

function unescaped(whole: string, letter: string | undefined): string {
  if (letter === undefined) return '$'
  if (/^0[0-7]/.test(letter)) return String.fromCharCode(Number.parseInt(letter, 8))
  return ESCAPES[letter] ?? whole
}

function withDollars(value: string, note: ComposeNote): string {
  noteExpansion(value.replaceAll('$$', ''), note)
  return value.replaceAll('$$', () => '$')
}
