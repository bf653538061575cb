import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts } from '../ground/parts.ts'
import { printable } from '../ground/printable.ts'
import { list, object, shown, text } from '../ground/shape.ts'
import { callLibrary, type Library } from './library-call.ts'

/** A library before the server was asked for its workspace: a name or an id; null: the server chooses. */
export type NamedLibrary = Omit<Library, 'workspace'> & { readonly workspace: string | null }

type Workspace = { readonly id: string; readonly name: string }

const LISTED = 10

/** The library in the workspace that the command or the project file names, among those of the caller.
 * @throws CliError usage: the caller is in no such workspace, or in several of this name · refused, network */
export async function openLibrary(named: NamedLibrary, parts: Parts): Promise<Library> {
  const library = { ...named, workspace: null }
  if (named.workspace === null) return library
  const workspaces = await workspacesOf(library, parts)
  const text = named.workspace
  const byId = workspaces.filter(({ id }) => id === text.toLowerCase())
  const found = byId.length > 0 ? byId : workspaces.filter(({ name }) => name === text)
  const [workspace, another] = found
  if (workspace === undefined) throw notIn(text, workspaces, named.server)
  if (another !== undefined) throw ambiguous(text, found)
  return { ...library, workspace }
}

/** The workspaces of the caller.
 * @throws CliError refused, network */
export async function workspacesOf(library: Library, parts: Parts): Promise<readonly Workspace[]> {
  const shape = list(object({ id: text, name: shown(300) }))
  return await callLibrary({ library, parts }, { name: 'listTenants', shape })
}

function notIn(text: string, workspaces: readonly Workspace[], server: string): CliError {
  const names = workspaces.slice(0, LISTED).map(({ name }) => name)
  const more = workspaces.length > LISTED ? ` and ${workspaces.length - LISTED} more` : ''
  return new CliError(
    EXIT.usage,
    `you are not a member of a workspace ${printable(text, 80)} at ${server}`,
    `Your workspaces: ${names.join(', ')}${more}. Use one of them with --workspace or in keyferry.json, or ask an owner for an invitation.`,
  )
}

function ambiguous(text: string, found: readonly Workspace[]): CliError {
  return new CliError(
    EXIT.usage,
    `you are a member of ${found.length} workspaces called ${printable(text, 80)}`,
    `Give the id of one: ${found.map(({ id }) => id).join(', ')}`,
  )
}
