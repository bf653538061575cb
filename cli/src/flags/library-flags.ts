import { FORMAT_NAMES, type FormatName, isFormatName } from '@keyferry/contract/env/format-names'
import { isBundleName, isKeyName } from '@keyferry/contract/env/names'
import { isIdText } from '@keyferry/contract/id-text'
import { usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { flagOf, type Words } from '../command-line/command.ts'
import {
  chooseServer,
  type FoundProject,
  findProject,
  isWorkspaceText,
  PROJECT_FILE,
} from '../project/project-file.ts'
import { DEFAULT_SERVER } from '../server/server-address.ts'

export const SERVER_FLAG = flagOf(
  '--server URL',
  `Address of the server (default: KEYFERRY_SERVER, then ${PROJECT_FILE}, then ${DEFAULT_SERVER})`,
)

/** The server of a command: from the flag, the environment, the project file, or the default, in this order. A server
 * from the project file must be confirmed.
 * @throws CliError usage */
export async function serverOf(words: Words, project: FoundProject | null, parts: Parts): Promise<string> {
  const { server, source } = chooseServer(words.text('server'), project, parts.env)
  if (source === PROJECT_FILE && project !== null) {
    const { requireTrust } = await import('../project/trusted-folders.ts')
    requireTrust({ folder: project.serverFolder, server }, parts)
  }
  return server
}

export const WORKSPACE_FLAG = flagOf(
  '-w, --workspace NAME|ID',
  `The workspace of the bundle (default: ${PROJECT_FILE}, then your current one)`,
)

/** The bundle that a command changes, where the project file can name it too. */
export const BUNDLE_FLAG = flagOf('-b, --bundle NAME', 'The bundle (default: that of keyferry.json)')

/** The server and the workspace for calls to the library.
 * @throws CliError usage */
export async function libraryHere(words: Words, parts: Parts) {
  const project = findProject(parts.cwd)
  return { server: await serverOf(words, project, parts), ...workspaceOf(words, project, parts.cwd) }
}

/** The workspace of a command, and where it comes from.
 * @throws CliError usage */
export function workspaceOf(words: Words, project: FoundProject | null, cwd: string) {
  const flag = readWorkspaceFlag(words)
  return {
    workspace: flag ?? project?.workspace ?? null,
    isWorkspaceFlag: flag !== null,
    folder: project?.folder ?? cwd,
  }
}

/** `serverOf` for a command that needs nothing else from the project file. */
export async function serverHere(words: Words, parts: Parts): Promise<string> {
  return await serverOf(words, findProject(parts.cwd), parts)
}

/** The bundle to request, by name or id; null without one.
 * @throws CliError usage */
export function readBundleOperand({ operands }: Words): string | null {
  const [bundle] = operands
  if (bundle === undefined) return null
  requireBundleName(bundle)
  return bundle
}

/** The workspace that `--workspace` names, by name or id; null without the flag.
 * @throws CliError usage */
export function readWorkspaceFlag(words: Words): string | null {
  const workspace = words.text('workspace')
  if (workspace === null || isWorkspaceText(workspace)) return workspace
  throw usageError(
    `'${printable(workspace, 80)}' is not a valid workspace`,
    'Give the name or the id of the workspace.',
  )
}

/** The id that `--workspace` gives; null without the flag.
 * @throws CliError usage: a name, which several workspaces can have */
export function readWorkspaceId(words: Words): string | null {
  const id = words.text('workspace')?.toLowerCase() ?? null
  if (id === null || isIdText(id)) return id
  throw usageError('--workspace must be an id here', 'The address of a page of the workspace has it: /w/ID')
}

/** @throws CliError usage: no bundle can have this name */
export function requireBundleName(name: string): void {
  if (isBundleName(name)) return
  throw usageError(
    `${printable(name === '' ? "''" : name, 80)} is not a valid bundle name`,
    'Use letters, digits, - and _, with single slashes between parts, for example dev/app.',
  )
}

/** @throws CliError usage: not a valid key name */
export function requireKeyName(name: string): void {
  if (isKeyName(name)) return
  throw usageError(
    `${printable(name, 80)} is not a valid name of a variable`,
    'Use letters, digits and _, for example DATABASE_URL.',
  )
}

/** @throws CliError usage: unknown format */
export function requireFormatName(text: string): FormatName {
  if (isFormatName(text)) return text
  throw usageError(`unknown format ${printable(text, 60)}`, `Use one of ${FORMAT_NAMES.join(', ')}.`)
}

/** A flag that takes one of a few words; null without it.
 * @throws CliError usage */
export function readChoice<T extends string>(words: Words, flag: string, choices: readonly T[]): T | null {
  const given = words.text(flag)
  const choice = choices.find((each) => each === given)
  if (given === null || choice !== undefined) return choice ?? null
  const [last = '', ...others] = choices.toReversed()
  throw usageError(
    `--${flag} must be ${others.toReversed().join(', ')} or ${last}`,
    `Use one of the ${choices.length === 2 ? 'two' : 'three'}, or leave it out.`,
  )
}

/** The key and the bundle that a command changes: its operand, and `--bundle` or that of `keyferry.json`.
 * @param example a command line with both
 * @throws CliError usage */
export function readKeyOfBundle(words: Words, cwd: string, example: string) {
  const [name] = words.operands
  const bundleName = words.text('bundle') ?? findProject(cwd)?.bundle ?? null
  if (name === undefined || bundleName === null) {
    const what = name === undefined ? 'a name' : 'a bundle'
    throw usageError(`${words.line[0]} needs ${what}`, `For example: ${example}`)
  }
  requireKeyName(name)
  requireBundleName(bundleName)
  return { name, bundleName }
}
