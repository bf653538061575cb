import type { Flag, Words } from '../command-line/command.ts'
import type { Parts } from '../ground/parts.ts'
import { chooseServer } from '../project/choose-server.ts'
import { type FoundProject, findProject, PROJECT_FILE } from '../project/project-file.ts'
import { DEFAULT_SERVER } from '../server/server-address.ts'

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

/** `serverOf` for a command that needs nothing else from the project file. */
export async function serverHere(words: Words, parts: Parts): Promise<string> {
  return await serverOf(words, findProject(parts.cwd), parts)
}
