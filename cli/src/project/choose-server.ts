import type { Environment } from '../ground/parts.ts'
import { DEFAULT_SERVER, parseServerAddress } from '../server/server-address.ts'
import { type FoundProject, PROJECT_FILE } from './project-file.ts'

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
