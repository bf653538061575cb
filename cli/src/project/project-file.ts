import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isFormatName } from '@keyferry/contract/env/format-names'
import { BUNDLE_NAME, isKeyName } from '@keyferry/contract/env/names'
import { LIMITS } from '@keyferry/contract/limits'
import { CliError, codeOf, generalError, usageError } from '../base/cli-error.ts'
import type { Environment } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { parseObject } from '../base/shape.ts'
import { DEFAULT_SERVER, parseServerAddress } from '../server/server-address.ts'

export const PROJECT_FILE = 'keyferry.json'

/** What a project says about the values it needs. Holds no secrets, so it can be committed. */
export type Project = {
  readonly server?: string
  /** Name or id. */
  readonly workspace?: string
  readonly bundle?: string
  readonly keys?: readonly string[]
  /** Keys that may be missing from a delivery. */
  readonly optional?: readonly string[]
  readonly format?: string
}

export type FoundProject = Project & {
  /** The folder of the file. */
  readonly folder: string
}

const MAX_BYTES = 64 * 1024
const FIELDS = new Set(['server', 'workspace', 'bundle', 'keys', 'optional', 'format'])

/** The `keyferry.json` of the folder or of its nearest parent; null without one.
 * @throws CliError usage: an invalid file */
export function findProject(folder: string): FoundProject | null {
  const text = readProjectText(join(folder, PROJECT_FILE))
  if (text !== null) return { ...parseProject(text), folder }
  const above = dirname(folder)
  return above === folder || folder === '' ? null : findProject(above)
}

function readProjectText(path: string): string | null {
  try {
    return readSmallFile(path)
  } catch (cause) {
    const code = codeOf(cause)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return null
    throw cause instanceof CliError ? cause : unreadable(path, code, cause)
  }
}

// The file may be hostile: reading a pipe could block for ever, and reading a device could fill the memory.
function readSmallFile(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw unreadable(path, 'it is not a file')
    if (stats.size > MAX_BYTES) throw unreadable(path, `it is larger than ${MAX_BYTES / 1024} KiB`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

function unreadable(path: string, why: string, cause?: unknown): CliError {
  return generalError(`${printable(path)} cannot be read: ${why}`, 'Fix or remove the file.', cause)
}

/** Read the text of a `keyferry.json`.
 * @throws CliError usage, naming the field */
function parseProject(text: string): Project {
  const fields = parseObject(text.replace(/^\ufeff/, ''))
  if (fields === null) throw wrong('it is not a JSON object')
  const unknown = Object.keys(fields).find((name) => !FIELDS.has(name))
  if (unknown !== undefined) throw wrong(`unknown field ${printable(unknown, 40)}`)
  return {
    ...part('server', readText(fields, 'server'), (text_) =>
      parseServerAddress(text_, `server in ${PROJECT_FILE}`),
    ),
    ...part('workspace', readText(fields, 'workspace'), readWorkspace),
    ...part('bundle', readText(fields, 'bundle'), readBundle),
    ...part('keys', fields['keys'], (value) => readKeys(value, 'keys')),
    ...part('optional', fields['optional'], (value) => readKeys(value, 'optional')),
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
  throw wrong(`${name} must be a string`)
}

function readWorkspace(text: string): string {
  if (isWorkspaceText(text)) return text
  throw wrong('workspace must be the name or the id of a workspace')
}

/** Whether a text can name a workspace, by name or by id. */
export function isWorkspaceText(text: string): boolean {
  return text.trim() !== '' && text.length <= LIMITS.nameLength && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)
}

function readBundle(name: string): string {
  if (name.length <= LIMITS.nameLength && BUNDLE_NAME.test(name)) return name
  throw wrong('bundle must be the name of a bundle, such as dev/app')
}

function readKeys(value: unknown, field: string): readonly string[] {
  const isNames = Array.isArray(value) && value.every((name) => typeof name === 'string' && isKeyName(name))
  if (isNames) return value.map(String)
  throw wrong(`${field} must be a list of key names`)
}

function readFormat(name: string): string {
  if (isFormatName(name)) return name
  throw wrong(`unknown format ${printable(name, 40)}`)
}

function wrong(what: string): CliError {
  return usageError(
    `${PROJECT_FILE}: ${what}`,
    'Fix the file, or write a new one with keyferry init --force.',
  )
}

export type ServerChoice = { readonly server: string; readonly source: string }

/** The server to use, and where its address comes from. Does not ask for confirmation. */
export function chooseServer(
  flag: string | null,
  project: FoundProject | null,
  env: Environment,
): ServerChoice {
  if (flag !== null) return { server: parseServerAddress(flag, '--server'), source: '--server' }
  const variable = env['KEYFERRY_SERVER'] ?? ''
  if (variable !== '') {
    return { server: parseServerAddress(variable, 'KEYFERRY_SERVER'), source: 'KEYFERRY_SERVER' }
  }
  if (project?.server !== undefined) return { server: project.server, source: PROJECT_FILE }
  return { server: DEFAULT_SERVER, source: 'default' }
}
