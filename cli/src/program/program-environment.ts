import type { Environment, Values } from '../ground/parts.ts'

export type Precedence = {
  /** Use the delivered values only. */
  readonly isOnly: boolean
  /** Keep variables that are already set. */
  readonly keepsExisting: boolean
}

/** The program's environment: the existing variables and the delivered values, which override them by default. */
export function programEnvironment(
  existing: Environment,
  values: Values,
  { isOnly, keepsExisting }: Precedence,
): Record<string, string> {
  const merged = new Map<string, string>()
  for (const [name, value] of isOnly ? [] : Object.entries(existing)) {
    if (value !== undefined) merged.set(name, value)
  }
  for (const [name, value] of values) {
    if (!keepsExisting || !merged.has(name)) merged.set(name, value)
  }
  return Object.fromEntries(merged)
}
