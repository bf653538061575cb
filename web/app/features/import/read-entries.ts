import { EnvParseError, parseEnv } from '@keyferry/contract/env-text'
import { isKeyName } from '../../lib/key-names.ts'
import { valueProblem } from '../../lib/value-warnings.ts'

export type Entry = { name: string; value: string; line: number }
export type InvalidLine = { line: number; problem: string }
export type ReadText = { entries: Entry[]; invalid: InvalidLine[] }

const MOST_INVALID = 100

/** Read a `.env` or JSON text, told apart by the first character. Every line that cannot be read is named; the others are
 * read all the same. Of a name that is assigned twice the last value counts, as in a shell. */
export function readEntries(text: string): ReadText {
  const { entries, invalid } = /^\s*\{/.test(text) ? readJson(text) : readEnv(text)
  const sound: Entry[] = []
  for (const entry of entries) {
    const problem = entryProblem(entry)
    if (problem === null) sound.push(entry)
    else invalid.push({ line: entry.line, problem })
  }
  const last = new Map(sound.map((entry) => [entry.name, entry]))
  return { entries: [...last.values()], invalid: invalid.toSorted((a, b) => a.line - b.line) }
}

// The parser stops at the first bad line. With that line emptied the rest keeps its line numbers and can be read on.
function readEnv(text: string): ReadText {
  const lines = text.split('\n')
  const invalid: InvalidLine[] = []
  while (invalid.length < MOST_INVALID) {
    try {
      return { entries: [...parseEnv(lines.join('\n'))], invalid }
    } catch (error) {
      if (!(error instanceof EnvParseError)) throw error
      invalid.push({ line: error.line, problem: error.message.replace(/^line \d+: /, '') })
      lines[error.line - 1] = ''
    }
  }
  return { entries: [], invalid }
}

function readJson(text: string): ReadText {
  const data = parseJson(text)
  if ('problem' in data) return { entries: [], invalid: [data] }
  const read: ReadText = { entries: [], invalid: [] }
  for (const [name, value] of Object.entries(data.object)) {
    const line = lineOf(text, name)
    if (typeof value === 'string') read.entries.push({ name, value, line })
    else read.invalid.push({ line, problem: `${name} must be a string in quotes` })
  }
  return read
}

function parseJson(text: string): { object: object } | InvalidLine {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { object: value }
    return { line: 1, problem: 'expected an object of names and values' }
  } catch (error) {
    const position = Number(/position (\d+)/.exec(String(error))?.[1] ?? 0)
    return { line: text.slice(0, position).split('\n').length, problem: 'this is not valid JSON' }
  }
}

function lineOf(text: string, name: string): number {
  const index = text.indexOf(JSON.stringify(name))
  return text.slice(0, Math.max(0, index)).split('\n').length
}

function entryProblem({ name, value }: Entry): string | null {
  if (!isKeyName(name)) return `${name.slice(0, 40)} is not a key name: use letters, digits and _`
  const problem = valueProblem(value)
  return problem === null ? null : `${name}: ${problem}`
}
