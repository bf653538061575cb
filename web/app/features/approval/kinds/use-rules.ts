import { useMemo } from 'react'
import type { RequestBundle } from '../../../lib/calls/answers.ts'
import { useSettled } from '../../../lib/page/use-settled.ts'
import { call } from '../calls.ts'
import { useLoaded } from '../loaded.tsx'
import { inWorkspace } from '../place/place.ts'
import type { ChosenPlace } from '../place/use-place.ts'
import { type KeySelection, stricterKeys } from './selection.ts'

const CHOOSING_MS = 250

type RulesOf = {
  requestId: string
  place: ChosenPlace
  bundle: RequestBundle | null
  selection: KeySelection | null
}

/** What the rules demand of the selected keys. They come with the bundle for the keys that the terminal requested, and
 * are asked for again when the selection gains or loses keys that another bundle makes stricter. */
export function useRules({ requestId, place: { workspaceId }, bundle, selection }: RulesOf) {
  const keys = selection === null ? null : stricterKeys(selection)
  const bundleId = bundle?.id ?? null
  const of = useMemo(
    () =>
      workspaceId === null || bundleId === null || keys === null ? null : { workspaceId, bundleId, keys },
    [workspaceId, bundleId, keys],
  )
  const asked = useLoaded(
    useSettled(of, CHOOSING_MS),
    async (chosen) => ({
      of: chosen,
      rules: await call(
        'getRequestBundle',
        { request_id: requestId, bundle_id: chosen.bundleId },
        { ...inWorkspace(chosen.workspaceId), query: { keys: chosen.keys } },
      ),
    }),
    { keeps: true },
  )
  const answer = of !== null && asked.value?.of.bundleId === bundleId ? asked.value : null
  const isCurrent = of === null || answer?.of.keys === keys
  const unanswered = asked.phase === 'failed' ? asked.phase : 'loading'
  return { rules: answer?.rules ?? bundle, phase: isCurrent ? 'ready' : unanswered, asked } as const
}
