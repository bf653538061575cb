import type { Flag, Words } from '../command-line/command.ts'
import type { Parts } from '../ground/parts.ts'
import { chooseServer } from '../project/choose-server.ts'
import { type FoundProject, findProject, PROJECT_FILE } from '../project/project-file.ts'
import { DEFAULT_SERVER } from '../server/server-address.ts'

export const SERVER_FLAG: Flag = {
  name: 'server',
  value: 'URL',
  summary: `Address of the server (else KEYFERRY_SERVER, else ${PROJECT_FILE}, else ${DEFAULT_SERVER})`,
}

/** The server that a command talks to: the flag, else the environment, else the project's, else the one of this
 * machine. One that the project's file names must have been confirmed.
 * @throws CliError usage */
export async function serverOf(words: Words, project: FoundProject | null, parts: Parts): Promise<string> {
  const { server, source } = chooseServer(words.text('server'), project, parts.env)
  if (source === PROJECT_FILE && project !== null) {
    const { requireTrust } = await import('../project/trusted-folders.ts')
    requireTrust({ folder: project.folder, server }, parts)
  }
  return server
}

/** `serverOf` for a command that does not otherwise look at the project. */
export async function serverHere(words: Words, parts: Parts): Promise<string> {
  return await serverOf(words, findProject(parts.cwd), parts)
}
