import { isIdText } from '@keyferry/contract/id-text'
import { type CliError, usageError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { list, object, shown, string } from '../base/shape.ts'
import { type CalledEndpoint, patientExchange, type ReadOptions, readEndpoint } from './endpoint-call.ts'

const TIMEOUT_MS = 60_000
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** A library, and how to reach it. */
export type Library = {
  readonly server: string
  readonly parts: Parts
  /** The workspace that the calls work in; null: the server chooses. */
  readonly workspace: CallWorkspace | null
  /** The token of a machine; absent: the calls are made without a credential. */
  readonly token?: string
}

const malformed = 'the server sent an answer that this version of Keyferry does not know'

/** Call an endpoint of the server's library of keys, and wait where the server limits the rate.
 * @returns the answer in this shape · @throws CliError */
export async function callLibrary<T>(
  { server, parts, workspace, token }: Library,
  { name, ...call }: LibraryCall<T>,
): Promise<T> {
  const headers = {
    // The web-facing layer accepts writes from its own origin only.
    origin: new URL(server).origin,
    ...(workspace === null ? {} : { 'keyferry-workspace': workspace.id }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: MAX_BODY_BYTES }
  const at = { server, exchange: patientExchange(parts) }
  return await readEndpoint(at, name, { ...call, ...limits, headers, malformed })
}

type LibraryCall<T> = Omit<ReadOptions<T>, 'headers' | 'malformed'> & { readonly name: CalledEndpoint }

/** A library before the server was asked for its workspace: a name or an id; null: the server chooses. */
export type NamedLibrary = Omit<Library, 'workspace' | 'parts'> & { readonly workspace: string | null }

type CallWorkspace = { readonly id: string; readonly name: string }

const LISTED = 10

/** The library in the workspace that the command or the project file names, among those of the caller.
 * @throws CliError usage: the caller is in no such workspace, or in several of this name · refused, network */
export async function openLibrary(named: NamedLibrary, parts: Parts): Promise<Library> {
  const library = { ...named, parts, workspace: null }
  if (named.workspace === null) return library
  const workspaces = await workspacesOf(library)
  const text = named.workspace
  const isNamed = ({ id, name }: CallWorkspace) =>
    isIdText(text) ? id === text.toLowerCase() : name === text
  const found = workspaces.filter(isNamed)
  const [workspace, another] = found
  if (workspace === undefined) throw notIn(text, workspaces, named.server)
  if (another !== undefined)
    throw usageError(
      `you are a member of ${found.length} workspaces called ${printable(text, 80)}`,
      `Give the id of one: ${found.map(({ id }) => id).join(', ')}`,
    )
  return { ...library, workspace }
}

/** The workspaces of the caller.
 * @throws CliError refused, network */
export async function workspacesOf(library: Library): Promise<readonly CallWorkspace[]> {
  const shape = list(object({ id: string, name: shown(300) }))
  return await callLibrary(library, { name: 'listTenants', shape })
}

function notIn(text: string, workspaces: readonly CallWorkspace[], server: string): CliError {
  const names = workspaces.slice(0, LISTED).map(({ name }) => name)
  const more = workspaces.length > LISTED ? ` and ${workspaces.length - LISTED} more` : ''
  return usageError(
    `you are not a member of a workspace ${printable(text, 80)} at ${server}`,
    `Your workspaces: ${names.join(', ')}${more}. Use one of them with --workspace or in keyferry.json, or ask an owner for an invitation.`,
  )
}
