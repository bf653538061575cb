import { EnvDialectError, type ImportEntry, type ImportText } from './import-text.ts'

/** Read a JSON object of names and values. Texts count as they are; whole numbers and true/false as they are written;
 * anything else is refused by name.
 * @throws EnvDialectError */
export function parseJsonDialect(text: string): ImportText {
  const map = parseObject(text.replace(/^\ufeff/, ''))
  if (map === null) throw new EnvDialectError(null, 'it begins like JSON but is not a JSON object')
  const entries = Object.entries(map).map(([name, value]) => readJsonEntry(name, value))
  return { entries, notes: [] }
}

/** One name and value of a JSON object, by the same rules.
 * @throws EnvDialectError */
export function readJsonEntry(name: string, value: unknown): ImportEntry {
  if (!/^[A-Za-z0-9_]{1,255}$/.test(name)) {
    throw new EnvDialectError(null, 'it has a name with other characters than letters, digits and _')
  }
  if (typeof value === 'string') return { name, value, line: null }
  if (typeof value === 'boolean' || Number.isSafeInteger(value))
    return { name, value: String(value), line: null }
  throw new EnvDialectError(null, `the value of ${name} is not a text`)
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
