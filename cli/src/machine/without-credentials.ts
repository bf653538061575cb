import type { Environment } from '../ground/parts.ts'

export const CREDENTIAL_VARIABLES: ReadonlySet<string> = new Set(['KEYFERRY_TOKEN', 'KEYFERRY_ID_TOKEN'])

/** An environment without the credentials of a machine: a program that gets values gets none of these. */
export function withoutCredentials(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !CREDENTIAL_VARIABLES.has(name)))
}
