import type { ImportAction } from '@keyferry/contract'
import type { ImportPlan } from './library-import.ts'

/** One variable of an import, and what happened to it. */
export type ImportedVariable = { name: string; action: ImportAction }

/** The variables of a plan, in its order. */
export function variablesOf({ steps, removals }: Pick<ImportPlan, 'steps' | 'removals'>): ImportedVariable[] {
  const stored = steps.map(({ entry: { name }, action }) => ({ name, action }))
  return [...stored, ...removals.map(({ name }) => ({ name, action: 'detach' as const }))]
}

/** How many variables had each action. */
export function countsOf(variables: readonly ImportedVariable[]): Record<ImportAction, number> {
  const counts = { create: 0, own: 0, share: 0, update: 0, replace: 0, same: 0, kept: 0, detach: 0 }
  for (const { action } of variables) counts[action] += 1
  return counts
}
