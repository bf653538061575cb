import type { EnvEntry } from '@keyferry/contract/env'
import { useEffect, useMemo, useState } from 'react'
import type { ImportPlan, ImportRequest } from '../../lib/calls/answers.ts'
import { call } from '../../lib/calls/call.ts'
import { describeFailure, type Failure } from '../../lib/calls/failure.ts'
import { bundleNameProblem } from '../../lib/rules/bundle-names.ts'
import type { Decisions } from './decisions.ts'

const TYPING_MS = 350

type Planned = { plan: ImportPlan | null; failure: Failure | null }

export type Planning = Planned & {
  /** What the plan answers, without `dry_run`; null while there is nothing to plan. */
  request: ImportRequest | null
  isPending: boolean
  again: () => void
}

type UsePlanOptions = { bundleName: string; entries: readonly EnvEntry[]; decisions: Decisions }

/** The server's plan for what was typed and decided, asked for again whenever that changes. */
export function usePlan({ bundleName, entries, decisions }: UsePlanOptions): Planning {
  const request = useMemo(
    () => requestOf({ bundleName, entries, decisions }),
    [bundleName, entries, decisions],
  )
  const [attempt, setAttempt] = useState(0)
  const [answer, setAnswer] = useState<(Planned & { of: object }) | null>(null)
  // A new attempt makes a new object, so that an older answer does not count.
  const asked = useMemo(() => (request === null ? null : { request, attempt }), [request, attempt])
  useEffect(() => {
    if (asked === null) return undefined
    const ended = new AbortController()
    const answered = (planned: Planned) => {
      if (!ended.signal.aborted) setAnswer({ ...planned, of: asked })
    }
    const timer = setTimeout(() => {
      call('importVariables', { ...asked.request, dry_run: true }, { signal: ended.signal }).then(
        (plan) => answered({ plan, failure: null }),
        (error: unknown) => answered({ plan: null, failure: describeFailure(error) }),
      )
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [asked])
  const isPending = asked !== null && answer?.of !== asked
  return {
    request,
    plan: asked === null ? null : (answer?.plan ?? null),
    failure: isPending || asked === null ? null : (answer?.failure ?? null),
    isPending,
    again: () => setAttempt((count) => count + 1),
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
