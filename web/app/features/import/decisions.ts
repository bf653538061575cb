import type { EnvEntry } from '@keyferry/contract/env'
import type { ImportChoice, ImportStep } from '../../lib/calls/answers.ts'
import { looksSecret } from '../../lib/rules/key-names.ts'
import { changedOf, makesKey } from '../../lib/words/import-steps.ts'

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
    mark: (names: readonly string[], isSecret: boolean) => {
      const marked = names.map((name) => [name, isSecret] as const)
      onDecide({ ...decisions, secret: new Map([...secret, ...marked]) })
    },
    choose: (names: readonly string[], choice: ImportChoice) => {
      const chosen = names.map((name) => [name, choice] as const)
      onDecide({ ...decisions, choices: new Map([...choices, ...chosen]) })
    },
  }
}

/** The names of new secret variables that do not look secret, as far as the person has not decided. */
export function offeredOpen(
  entries: readonly EnvEntry[],
  plan: readonly ImportStep[],
  { secret }: Decisions,
) {
  const isNew = new Map(plan.map((step) => [step.name, makesKey(step) && step.is_secret]))
  const open = entries.filter(({ name, value }) => isNew.get(name) === true && !looksSecret(name, value))
  return open.flatMap(({ name }) => (secret.has(name) ? [] : [name]))
}

/** Whether a plan writes anything. */
export function hasWork(plan: readonly Pick<ImportStep, 'action'>[]): boolean {
  return changedOf(plan).length > 0
}
