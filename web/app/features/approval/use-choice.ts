import { useState } from 'react'
import type { RequestBundle } from '../../lib/answers.ts'
import { doubtsOf } from './doubts.ts'
import type { End, OpenRequest } from './request-state.ts'
import { planReturn } from './return-plan.ts'
import { firstKeys } from './selection.ts'
import { usePlace } from './use-place.ts'
import { useRequestBundle } from './use-request-bundle.ts'
import type { WayBack } from './way-back.ts'

const NONE: ReadonlySet<string> = new Set()

type ChoiceProps = {
  requestId: string
  request: OpenRequest
  openedByLink: boolean
  wayBack: WayBack | null
  onEnd: (end: End) => void
}

/** What is chosen to be shared, how the approval returns, and what is strange about it. */
export function useChoice({ requestId, request, openedByLink, wayBack, onEnd }: ChoiceProps) {
  const { context, person } = request
  const place = usePlace(requestId, request, onEnd)
  const { state, reload } = useRequestBundle(requestId, place)
  const bundle = state.phase === 'ready' ? state.bundle : null
  const { selected, select } = useSelection(bundle, context.template_keys)
  const keys = bundle === null ? [] : bundle.items.map(({ key }) => key).filter((name) => selected.has(name))
  const grounds = { context, bundle, wayBack, isOwnServer: !person.signsIn }
  const plan = planReturn(grounds)
  const doubts = doubtsOf({ context, bundle, plan, openedByLink, workspace: place.workspace, selected })
  return { place, bundle, state, reload, selected, select, keys, grounds, plan, doubts }
}

// The second of two people approves what the first one chose.
function useSelection(bundle: RequestBundle | null, templateKeys: readonly string[]) {
  const [chosen, setChosen] = useState<{ bundle: RequestBundle; names: ReadonlySet<string> } | null>(null)
  if (bundle === null) return { selected: NONE, select: () => undefined }
  const { items, first_approval: first } = bundle
  if (first) return { selected: new Set(first.keys), select: () => undefined }
  const selected = chosen?.bundle === bundle ? chosen.names : firstKeys(items, templateKeys).selected
  return { selected, select: (names: ReadonlySet<string>) => setChosen({ bundle, names }) }
}
