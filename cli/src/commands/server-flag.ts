import type { Parts } from '../base/parts.ts'
import type { Flag, Words } from '../command-line/command.ts'
import { chooseServer, type FoundProject, findProject, PROJECT_FILE } from '../project/project-file.ts'
import type { NamedLibrary } from '../server/library-call.ts'
import { DEFAULT_SERVER } from '../server/server-address.ts'
import { readWorkspaceFlag } from './names.ts'

export const SERVER_FLAG: Flag = {
  name: 'server',
  value: 'URL',
  summary: `Address of the server (default: KEYFERRY_SERVER, then ${PROJECT_FILE}, then ${DEFAULT_SERVER})`,
}

/** The server of a command: from the flag, the environment, the project file, or the default, in this order. A server
 * from the project file must be confirmed.
 * @throws CliError usage */
export async function serverOf(words: Words, project: FoundProject | null, parts: Parts): Promise<string> {
  const { server, source } = chooseServer(words.text('server'), project, parts.env)
  if (source === PROJECT_FILE && project !== null) {
    const { requireTrust } = await import('../project/trusted-folders.ts')
    requireTrust({ folder: project.folder, server }, parts)
  }
  return server
}

export const WORKSPACE_FLAG: Flag = {
  name: 'workspace',
  short: 'w',
  value: 'NAME|ID',
  summary: `The workspace of the bundle (default: ${PROJECT_FILE}, then your current one)`,
}

/** The bundle that a command changes, where the project file can name it too. */
export const BUNDLE_FLAG: Flag = {
  name: 'bundle',
  short: 'b',
  value: 'NAME',
  summary: 'The bundle (default: that of keyferry.json)',
}

/** The server and the workspace for calls to the library.
 * @throws CliError usage */
export async function libraryHere(words: Words, parts: Parts): Promise<NamedLibrary> {
  const project = findProject(parts.cwd)
  return {
    server: await serverOf(words, project, parts),
    workspace: readWorkspaceFlag(words) ?? project?.workspace ?? null,
  }
}

/** `serverOf` for a command that needs nothing else from the project file. */
export async function serverHere(words: Words, parts: Parts): Promise<string> {
  return await serverOf(words, findProject(parts.cwd), parts)
}
