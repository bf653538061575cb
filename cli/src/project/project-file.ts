import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit-code.ts'
import { isFormatName } from '../formats/formats.ts'
import { parseServerAddress } from '../server/server-address.ts'
import { parseObject } from '../server/server-failure.ts'
import { printable } from '../terminal/printable.ts'

export const PROJECT_FILE = 'keyferry.json'

/** What a project says of the values it needs. Holds no secrets and is meant to be committed. */
export type Project = {
  readonly server?: string
  readonly bundle?: string
  readonly keys?: readonly string[]
  readonly format?: string
}

export type FoundProject = Project & {
  /** The folder that the file stands in. */
  readonly folder: string
}

const FIELDS = new Set(['server', 'bundle', 'keys', 'format'])

/** The `keyferry.json` of the folder or the nearest one above it; null without one.
 * @throws CliError usage: a file that cannot be followed */
export function findProject(folder: string): FoundProject | null {
  const text = readProjectText(join(folder, PROJECT_FILE))
  if (text !== null) return { ...parseProject(text), folder }
  const above = dirname(folder)
  return above === folder || folder === '' ? null : findProject(above)
}

function readProjectText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : ''
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return null
    throw new CliError(
      EXIT.general,
      `${printable(path)} cannot be read: ${String(code)}`,
      'Mend or remove it.',
      {
        cause,
      },
    )
  }
}

/** Read the text of a `keyferry.json`.
 * @throws CliError usage, naming the field */
function parseProject(text: string): Project {
  const fields = parseObject(text.replace(/^\ufeff/, ''))
  if (fields === null) throw wrong('it is not a JSON object')
  const unknown = Object.keys(fields).find((name) => !FIELDS.has(name))
  if (unknown !== undefined) throw wrong(`it has a field that means nothing here: ${printable(unknown, 40)}`)
  return {
    ...part('server', readText(fields, 'server'), (text_) =>
      parseServerAddress(text_, `server in ${PROJECT_FILE}`),
    ),
    ...part('bundle', readText(fields, 'bundle'), readBundle),
    ...part('keys', fields['keys'], readKeys),
    ...part('format', readText(fields, 'format'), readFormat),
  }
}

function part<K extends string, T, R>(
  name: K,
  value: T | undefined,
  read: (value: T) => R,
): { [P in K]?: R } {
  const parts: { [P in K]?: R } = {}
  if (value !== undefined) parts[name] = read(value)
  return parts
}

function readText(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name]
  if (value === undefined || typeof value === 'string') return value
  throw wrong(`${name} must be a text`)
}

function readBundle(name: string): string {
  if (/^[A-Za-z0-9/_-]{1,255}$/.test(name)) return name
  throw wrong('bundle must be the name of a bundle, such as dev/app')
}

function readKeys(value: unknown): readonly string[] {
  const isNames =
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string' && /^[A-Za-z0-9_]{1,255}$/.test(name))
  if (isNames) return value.map(String)
  throw wrong('keys must be a list of key names')
}

function readFormat(name: string): string {
  if (isFormatName(name)) return name
  throw wrong(`there is no format ${printable(name, 40)}`)
}

function wrong(what: string): CliError {
  return usageError(`${PROJECT_FILE}: ${what}`, `Mend it; keyferry init --force writes a new one.`)
}
