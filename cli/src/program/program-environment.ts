import type { Environment, Values } from '../ground/parts.ts'

export type Precedence = {
  /** Nothing but the values. */
  readonly isOnly: boolean
  /** What is set already wins. */
  readonly keepsExisting: boolean
}

/** The program's environment: what is set already and the delivered values, which win unless said otherwise. */
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
