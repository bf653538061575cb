import type { Values } from '../delivery/delivered-values.ts'
import type { Environment } from '../surroundings.ts'

/** The program's environment: what is set already, and the delivered values over it. */
export function programEnvironment(existing: Environment, values: Values): Record<string, string> {
  const merged = new Map<string, string>()
  for (const [name, value] of Object.entries(existing)) if (value !== undefined) merged.set(name, value)
  for (const [name, value] of values) merged.set(name, value)
  return Object.fromEntries(merged)
}
