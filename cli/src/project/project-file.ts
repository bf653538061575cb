import { dirname, join } from 'node:path'
import { isFormatName } from '@keyferry/contract/env/format-names'
import { isBundleName, isKeyName } from '@keyferry/contract/env/names'
import { LIMITS } from '@keyferry/contract/limits'
import { type CliError, usageError } from '../base/cli-error.ts'
import type { Environment } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { list, object, optional, parseObject, refusing, type Shape, string, where } from '../base/shape.ts'
import { DEFAULT_SERVER, parseServerAddress } from '../server/server-address.ts'
import { readSmallFile } from './small-file.ts'

export const PROJECT_FILE = 'keyferry.json'

/** What a project says about the values it needs. Contains no secrets, so it can be committed. */
export type Project = ReturnType<typeof PROJECT>
/** `folder`: that of the file. `serverFolder`: that of the file that names the server. */
export type FoundProject = Project & { readonly folder: string; readonly serverFolder: string }

const WORKSPACE = 'workspace must be the name or the id of a workspace'
const BUNDLE = 'bundle must have letters, digits, - and _, with single slashes between parts'
const FIELDS = {
  server: text('server', (address) => parseServerAddress(address, `server in ${PROJECT_FILE}`)),
  /** Name or id. */
  workspace: text('workspace', only(isWorkspaceText, WORKSPACE)),
  bundle: text('bundle', only(isBundleName, BUNDLE)),
  keys: keyNames('keys'),
  /** Keys that may be missing from a delivery. */
  optional: keyNames('optional'),
  format: text('format', readFormat),
}
const PROJECT = object(FIELDS)

/** The `keyferry.json` of the folder or of its nearest parent; null without one. A file that names no server belongs to
 * the project around it: it takes the server from there, and the workspace if it names none.
 * @throws CliError usage: an invalid file */
export function findProject(folder: string): FoundProject | null {
  const file = readSmallFile(join(folder, PROJECT_FILE))
  const parent = dirname(folder)
  const above = () => (parent === folder || folder === '' ? null : findProject(parent))
  if (file === null) return above()
  const own = parseProject(file.text)
  const outer = own.server === undefined ? above() : null
  const workspace = own.workspace ?? outer?.workspace
  return outer?.server === undefined
    ? { ...own, folder, serverFolder: folder }
    : { ...own, server: outer.server, workspace, folder, serverFolder: outer.serverFolder }
}

/** Read the text of a `keyferry.json`.
 * @throws CliError usage, naming the field */
function parseProject(content: string): Project {
  const fields = parseObject(content.replace(/^\ufeff/, ''))
  if (fields === null) throw wrong('it is not a JSON object')
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(FIELDS, name))
  if (unknown !== undefined) throw wrong(`unknown field ${printable(unknown, 40)}`)
  return PROJECT(fields)
}

function text(field: string, readAs: (value: string) => string): Shape<string | undefined> {
  const given = refusing(string, () => wrong(`${field} must be a string`))
  return optional((value) => readAs(given(value)), undefined)
}

function keyNames(field: string): Shape<readonly string[] | undefined> {
  const name = where((value): value is string => typeof value === 'string' && isKeyName(value))
  return optional(
    refusing(list(name), () => wrong(`${field} must be a list of variables`)),
    undefined,
  )
}

function only(fits: (name: string) => boolean, problem: string): (name: string) => string {
  return (name) => {
    if (fits(name)) return name
    throw wrong(problem)
  }
}

/** Whether a text can name a workspace, by name or by id. */
export function isWorkspaceText(name: string): boolean {
  return name.trim() !== '' && name.length <= LIMITS.nameLength && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)
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
