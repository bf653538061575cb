import type { Cursor } from '../cursor.ts'
import { EnvError } from '../env-error.ts'

export const OPENING_QUOTE = /['"]/y
export const SINGLE_QUOTED = /'([^']*)'/y
export const BACKTICKED = /`([^`]*)`/y
export const DOUBLE_QUOTED = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"/y
export const REST_OF_LINE = /([^\n]*)(?:\n|$)/y
/** Blanks, a comment, and the end of the line. */
export const END_OR_COMMENT = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y

const ESCAPED = /\\([^\r\n])/y
const KEEPS_NO_BACKSLASH = /\\(?:([\\"$`])|\r?\n)/g

type Joining = {
  /** Text without quotes between the quoted parts. */
  readonly plain: RegExp
  /** What may follow the last part. */
  readonly end: RegExp
}

/** Read quoted and plain parts, joined as a POSIX shell joins them. Nothing is expanded.
 * @throws EnvError with the line */
export function takeJoined(cursor: Cursor, { plain, end }: Joining): string {
  const parts: string[] = []
  for (let part = takePart(cursor, plain); part !== null; part = takePart(cursor, plain)) parts.push(part)
  const { line } = cursor
  if (cursor.take(end)) return parts.join('')
  if (cursor.sees(OPENING_QUOTE)) throw neverClosed(line)
  throw new EnvError(AFTER_QUOTE, { line })
}

const AFTER_QUOTE = 'only blanks may follow the closing quote'

export function neverClosed(line: number): EnvError {
  return new EnvError('the quote that opens here is never closed', { line })
}

function takePart(cursor: Cursor, plain: RegExp): string | null {
  const verbatim = cursor.take(SINGLE_QUOTED) ?? cursor.take(ESCAPED)
  if (verbatim) return verbatim[1] ?? ''
  const escaped = cursor.take(DOUBLE_QUOTED)
  if (escaped) return (escaped[1] ?? '').replaceAll(KEEPS_NO_BACKSLASH, '$1')
  return cursor.take(plain)?.[0] ?? null
}

/** What precedes the comment of an unquoted value: a `#` begins one after a blank.
 * @param rest all that follows `NAME=` and its blanks · @param isAfterBlank whether a blank precedes `rest` */
export function withoutComment(rest: string, isAfterBlank: boolean): string {
  const start = isAfterBlank && rest.startsWith('#') ? 0 : rest.search(/[ \t]#/)
  return start === -1 ? rest : rest.slice(0, start)
}

const EXPANSION = /\$[A-Za-z_{(]/

/** Note that `$…` is kept, where a program would expand it. */
export function noteExpansion(text: string, note: (text: string) => void): void {
  if (!EXPANSION.test(text)) return
  note('`$` stays as written: Keyferry expands no variables, but Docker Compose, Ruby dotenv and shells do')
}
