import { Cursor } from './cursor.ts'
import { EnvError } from './env-error.ts'
import type { EnvEntry, EnvText } from './read-env.ts'

const TOKEN = /[ \t\r\n]*([{}[\],:]|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[^ \t\r\n{}[\],:"]+)/y

/** Read a JSON object of names and values. Texts are taken as they are; numbers, true and false as they are written.
 * Other values become problems with their line. */
export function readJson(given: string): EnvText {
  const text = given.replace(/^\ufeff/, '')
  const broken = problemOf(text)
  if (broken) return { entries: [], notes: [], problems: [broken] }
  const entries: EnvEntry[] = []
  const problems: EnvError[] = []
  const cursor = new Cursor(text)
  takeToken(cursor)
  for (let token = takeToken(cursor); token !== '}'; token = takeToken(cursor)) {
    if (token === ',') continue
    const { line } = cursor
    const name = String(JSON.parse(token))
    takeToken(cursor)
    const value = takeValue(cursor)
    if (value === null)
      problems.push(new EnvError(`the value of ${name} is not a text`, { line, names: [name] }))
    else entries.push({ name, value, line })
  }
  return { entries, notes: [], problems }
}

// After this the tokens are known to be in order.
function problemOf(text: string): EnvError | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return null
    return new EnvError('this is not a JSON object', { line: 1 })
  } catch (cause) {
    const position = Number(/position (\d+)/.exec(String(cause))?.[1] ?? text.length)
    const line = text.slice(0, position).split('\n').length
    return new EnvError('this is where the text stops being JSON', { line })
  }
}

function takeToken(cursor: Cursor): string {
  return cursor.take(TOKEN)?.[1] ?? '}'
}

// Null for an object, a list, or null.
function takeValue(cursor: Cursor): string | null {
  const token = takeToken(cursor)
  if (token === '{' || token === '[') {
    skipNested(cursor)
    return null
  }
  if (token === 'null') return null
  return token.startsWith('"') ? String(JSON.parse(token)) : token
}

function skipNested(cursor: Cursor): void {
  for (let depth = 1; depth > 0; ) {
    const token = takeToken(cursor)
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
  }
}
