import type { ImportChoice, ImportPlan, ImportRequest, ImportStep } from '../../lib/calls/answers.ts'
import { looksSecret } from '../../lib/rules/key-names.ts'
import { changedOf } from '../../lib/words/import-steps.ts'

/** What a person decided about entries, by name; what is absent follows the plan. */
export type Decisions = {
  skipped: ReadonlySet<string>
  secret: ReadonlyMap<string, boolean>
  choices: ReadonlyMap<string, ImportChoice>
}

export const UNDECIDED: Decisions = { skipped: new Set(), secret: new Map(), choices: new Map() }

/** What changes the decisions. */
export function deciding(decisions: Decisions, onDecide: (decisions: Decisions) => void) {
  const { skipped, secret, choices } = decisions
  return {
    skip: (names: readonly string[], isSkipped: boolean) => {
      const given = new Set(names)
      onDecide({ ...decisions, skipped: isSkipped ? skipped.union(given) : skipped.difference(given) })
    },
    mark: (name: string, isSecret: boolean) =>
      onDecide({ ...decisions, secret: new Map(secret).set(name, isSecret) }),
    choose: (names: readonly string[], choice: ImportChoice) => {
      const chosen = names.map((name) => [name, choice] as const)
      onDecide({ ...decisions, choices: new Map([...choices, ...chosen]) })
    },
  }
}

/** The request that carries out a plan: new keys get the mark that their names suggest unless the person decided. */
export function applying(request: ImportRequest, { plan, plan_id }: ImportPlan): ImportRequest {
  const created = new Set(plan.filter(({ action }) => action === 'create').map(({ name }) => name))
  const entries = request.entries.map((entry) =>
    created.has(entry.name) && entry.is_secret === undefined
      ? { ...entry, is_secret: looksSecret(entry.name, entry.value ?? '') }
      : entry,
  )
  return { ...request, entries, plan_id }
}

/** Whether a plan writes anything. */
export function hasWork(plan: readonly Pick<ImportStep, 'action'>[]): boolean {
  return changedOf(plan).length > 0
}
