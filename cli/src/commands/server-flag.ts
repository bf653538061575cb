import type { Flag, Words } from '../command.ts'
import { type FoundProject, findProject, PROJECT_FILE } from '../project/project-file.ts'
import { DEFAULT_SERVER, parseServerAddress } from '../server/server-address.ts'
import type { Environment, Surroundings } from '../surroundings.ts'

export const SERVER_FLAG: Flag = {
  name: 'server',
  value: 'URL',
  summary: `Address of the server (else KEYFERRY_SERVER, else ${PROJECT_FILE}, else ${DEFAULT_SERVER})`,
}

export type ServerChoice = { readonly server: string; readonly source: string }

/** The server that a command talks to: the flag, else the environment, else the project's, else the one of this
 * machine. One that the project's file names must have been confirmed.
 * @throws CliError usage */
export async function serverOf(
  words: Words,
  project: FoundProject | null,
  surroundings: Surroundings,
): Promise<string> {
  const { server, source } = chooseServer(words, project, surroundings.env)
  if (source === PROJECT_FILE && project !== null) {
    const { requireTrust } = await import('../project/trusted-folders.ts')
    requireTrust({ folder: project.folder, server }, surroundings)
  }
  return server
}

/** `serverOf` for a command that does not otherwise look at the project. */
export async function serverHere(words: Words, surroundings: Surroundings): Promise<string> {
  return await serverOf(words, findProject(surroundings.cwd), surroundings)
}

/** Which server, and where it is named. Trust is not asked for. */
export function chooseServer(words: Words, project: FoundProject | null, env: Environment): ServerChoice {
  const flag = words.text('server')
  if (flag !== null) return { server: parseServerAddress(flag, '--server'), source: '--server' }
  const variable = env['KEYFERRY_SERVER'] ?? ''
  if (variable !== '') {
    return { server: parseServerAddress(variable, 'KEYFERRY_SERVER'), source: 'KEYFERRY_SERVER' }
  }
  if (project?.server !== undefined) return { server: project.server, source: PROJECT_FILE }
  return { server: DEFAULT_SERVER, source: 'default' }
}
