import type { EnvEntry } from '@keyferry/contract/env'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { ImportPlan, ImportRequest } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { useSettled } from '../../lib/page/use-settled.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import type { Decisions } from './decisions.ts'

const TYPING_MS = 350

export type Planning = ReturnType<typeof usePlan>

type UsePlanOptions = { bundleName: string; entries: readonly EnvEntry[]; decisions: Decisions }

/** The server's plan for what was typed and decided, asked for again whenever that changes. `request`: what the plan
 * answers, without `dry_run`; null while there is nothing to plan. */
export function usePlan({ bundleName, entries, decisions }: UsePlanOptions) {
  const request = useMemo(
    () => requestOf({ bundleName, entries, decisions }),
    [bundleName, entries, decisions],
  )
  const settled = useSettled(request, TYPING_MS)
  const planning = useChange('importVariables', { dry_run: true }, { refreshes: [] })
  const { mutate, error } = planning
  const [plan, setPlan] = useState<ImportPlan | null>(null)
  const again = useCallback(() => {
    if (settled !== null) mutate(settled, { onSettled: (answer) => setPlan(answer ?? null) })
  }, [settled, mutate])
  useEffect(again, [again])
  const isPending = request !== null && (planning.variables !== request || planning.isPending)
  return {
    request,
    plan: request === null ? null : plan,
    failure: request === null || isPending || error === null ? null : describeFailure(error),
    isPending,
    again,
  }
}

function requestOf({ bundleName, entries, decisions }: UsePlanOptions): ImportRequest | null {
  const wanted = entries.filter(({ name }) => !decisions.skipped.has(name))
  if (wanted.length === 0 || bundleNameProblem(bundleName) !== null) return null
  const chosen = (choice: 'own' | 'share' | 'replace') =>
    wanted.map(({ name }) => name).filter((name) => decisions.choices.get(name) === choice)
  return {
    bundle: bundleName,
    entries: wanted.map(({ name, value }) => ({ name, value, is_secret: decisions.secret.get(name) })),
    own: chosen('own'),
    share: chosen('share'),
    replace: chosen('replace'),
  }
}
