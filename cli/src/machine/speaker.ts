import type { Environment } from '../ground/parts.ts'

/** Who asks for values: `--as`; null: a machine if the environment has its credential. */
export type Speaker = 'person' | 'machine' | null

const VARIABLES = ['KEYFERRY_TOKEN', 'KEYFERRY_TOKEN_FILE', 'KEYFERRY_MACHINE']

/** Whether a machine may be asking. Without `--as`, one of its variables says so. */
export function namesMachine(as: Speaker, env: Environment): boolean {
  if (as !== null) return as === 'machine'
  return VARIABLES.some((name) => (env[name] ?? '') !== '')
}
