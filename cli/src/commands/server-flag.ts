import type { Flag, Words } from '../command-line/command.ts'
import type { Parts } from '../ground/parts.ts'
import { chooseServer } from '../project/choose-server.ts'
import { type FoundProject, findProject, PROJECT_FILE } from '../project/project-file.ts'
import type { Library } from '../server/library-call.ts'
import { DEFAULT_SERVER } from '../server/server-address.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

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

/** The server and the workspace for calls to the library. The server's header takes an id only; a workspace's name in
 * keyferry.json is for the approver.
 * @throws CliError usage */
export async function libraryHere(words: Words, parts: Parts): Promise<Omit<Library, 'view'>> {
  const project = findProject(parts.cwd)
  const workspace = project?.workspace ?? ''
  return {
    server: await serverOf(words, project, parts),
    workspaceId: UUID.test(workspace) ? workspace.toLowerCase() : null,
  }
}

/** `serverOf` for a command that needs nothing else from the project file. */
export async function serverHere(words: Words, parts: Parts): Promise<string> {
  return await serverOf(words, findProject(parts.cwd), parts)
}
