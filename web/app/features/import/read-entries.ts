import { EnvDialectError, parseEnvDialect, readJsonEntry } from '@keyferry/contract/env-dialects'
import { isKeyName } from '../../lib/key-names.ts'
import { valueProblem } from '../../lib/value-warnings.ts'

export type Entry = { name: string; value: string; line: number }
export type InvalidLine = { line: number; problem: string }
export type ReadText = { entries: Entry[]; invalid: InvalidLine[]; notes: string[] }

const MOST_INVALID = 100

/** Read a `.env` or JSON text, told apart by the first character, as the terminal's import reads it. Every line that cannot
 * be read is named; the others are read all the same. */
export function readEntries(text: string): ReadText {
  const read = /^[\s\ufeff]*\{/.test(text) ? readJson(text) : readEnv(text)
  const entries: Entry[] = []
  for (const entry of read.entries) {
    const problem = entryProblem(entry)
    if (problem === null) entries.push(entry)
    else read.invalid.push({ line: entry.line, problem })
  }
  return { entries, invalid: read.invalid.toSorted((a, b) => a.line - b.line), notes: read.notes }
}

// The parser stops at the first bad line. With that line emptied the rest keeps its line numbers and can be read on.
function readEnv(text: string): ReadText {
  const lines = text.split('\n')
  const invalid: InvalidLine[] = []
  while (invalid.length < MOST_INVALID) {
    try {
      const { entries, notes } = parseEnvDialect(lines.join('\n'))
      return {
        entries: entries.map((entry) => ({ ...entry, line: entry.line ?? 1 })),
        invalid,
        notes: [...notes],
      }
    } catch (error) {
      if (!(error instanceof EnvDialectError) || error.line === null) throw error
      invalid.push({ line: error.line, problem: error.problem })
      lines[error.line - 1] = ''
    }
  }
  return { entries: [], invalid, notes: [] }
}

function readJson(text: string): ReadText {
  const data = parseJson(text.replace(/^\ufeff/, ''))
  if ('problem' in data) return { entries: [], invalid: [data], notes: [] }
  const read: ReadText = { entries: [], invalid: [], notes: [] }
  for (const [name, value] of Object.entries(data.object)) {
    const line = lineOf(text, name)
    try {
      read.entries.push({ ...readJsonEntry(name, value), line })
    } catch (error) {
      if (!(error instanceof EnvDialectError)) throw error
      read.invalid.push({ line, problem: error.problem })
    }
  }
  return read
}

function parseJson(text: string): { object: object } | InvalidLine {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { object: value }
    return { line: 1, problem: 'is not a JSON object' }
  } catch (error) {
    const position = Number(/position (\d+)/.exec(String(error))?.[1] ?? 0)
    return { line: text.slice(0, position).split('\n').length, problem: 'is where this stops being JSON' }
  }
}

function lineOf(text: string, name: string): number {
  const index = text.indexOf(JSON.stringify(name))
  return text.slice(0, Math.max(0, index)).split('\n').length
}

function entryProblem({ name, value }: Entry): string | null {
  if (!isKeyName(name)) return 'has a name with other characters than letters, digits and _'
  const problem = valueProblem(value)
  return problem === null ? null : `gives ${name} a value that cannot be stored: ${problem}`
}
