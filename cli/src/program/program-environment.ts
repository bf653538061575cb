import type { Environment, Values } from '../base/parts.ts'

/** Set for a program that has its values, so that `import 'keyferry/config'` in it, and in what it starts, makes no
 * request. */
export const LOADED_MARK = 'KEYFERRY_LOADED'

/** The credentials of a machine: a program that gets values gets none of these. */
export const CREDENTIAL_VARIABLES: ReadonlySet<string> = new Set([
  'KEYFERRY_TOKEN',
  'KEYFERRY_TOKEN_FILE',
  'KEYFERRY_ID_TOKEN',
  'KEYFERRY_ID_TOKEN_FILE',
])

type Precedence = {
  /** Use the delivered values only. */
  readonly isOnly: boolean
  /** Keep variables that are already set. */
  readonly keepsExisting: boolean
}

/** The program's environment: the existing variables, the delivered values, which override them by default, and the
 * mark. */
export function programEnvironment(
  existing: Environment,
  values: Values,
  { isOnly, keepsExisting }: Precedence,
): Record<string, string> {
  const merged = new Map<string, string>()
  for (const [name, value] of isOnly ? [] : Object.entries(existing)) {
    if (value !== undefined && !CREDENTIAL_VARIABLES.has(name)) merged.set(name, value)
  }
  for (const [name, value] of values) {
    if (!keepsExisting || !merged.has(name)) merged.set(name, value)
  }
  return Object.fromEntries([...merged, [LOADED_MARK, '1']])
}
