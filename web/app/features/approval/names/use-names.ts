import { useState } from 'react'
import type { NamesOffer } from '../../../lib/answers.ts'
import { call } from '../../../lib/api.ts'
import { inWorkspace, isNamed } from '../place.ts'
import type { Choice, FormProps } from '../request-state.ts'
import { mustTypeCode, planReturn, returnFields } from '../return-plan.ts'
import { useOneDecision } from '../use-decision.ts'
import { usePlace } from '../use-place.ts'
import { useTypedCode } from '../use-typed-code.ts'
import { type OfferState, useNamesOffer } from './use-names-offer.ts'

const NO_LIST_YET: Readonly<Record<OfferState['phase'], string>> = {
  none: 'Choose a bundle first.',
  loading: 'The list is still loading.',
  failed: 'The list could not be loaded.',
  ready: '',
}

/** A request for names to decide on: of which bundle or workspace, how the approval returns, and the decision. */
export function useNames({ requestId, request, openedByLink, wayBack, onApproved, onEnd }: FormProps) {
  const { context, person } = request
  const place = usePlace(requestId, request, onEnd)
  const { workspaceId, workspace, workspaceName } = place
  const { state, offer, reload } = useNamesOffer(requestId, place, context.suggested_bundle_id !== null)
  const grounds = { context, bundle: offer, wayBack, isOwnServer: !person.signsIn }
  const returning = planReturn(grounds)
  const code = useTypedCode(mustTypeCode(returning, grounds))
  const decision = useOneDecision({ requestId, context, onEnd, onWrongCode: code.refuse })
  const [isConfirming, setConfirming] = useState(false)
  const { suggested_bundle_id: asked, workspace: askedWorkspace } = context
  const bundle = offer?.bundle ?? null
  const isOtherBundle = bundle !== null && asked !== null && !isNamed(bundle, asked)
  const isOtherWorkspace =
    workspace !== null && askedWorkspace !== null && !isNamed(workspace, askedWorkspace)

  const send = () => {
    setConfirming(false)
    if (offer === null || workspaceId === null || returning.by === 'refused') return
    const body = {
      ...(bundle === null ? {} : { bundle_id: bundle.id }),
      ...returnFields(returning.by, code.field.typed),
    }
    void decision.decide('approve', async () => {
      const options = { params: { request_id: requestId }, headers: inWorkspace(workspaceId), body }
      const answer = await call('POST', '/api/v1/requests/{request_id}/names', options)
      onApproved(choiceOf(offer, { workspaceId, workspaceName }), answer, [])
    })
  }
  const approve = () => {
    if (workspaceId === null) return decision.setProblem('Choose a workspace first.')
    if (offer === null) return decision.setProblem(NO_LIST_YET[state.phase])
    if (returning.by === 'refused') return decision.setProblem(returning.reason)
    if (code.missing) return code.refuse('Type all eight letters of the check code.')
    if (openedByLink || isOtherBundle) return setConfirming(true)
    send()
  }
  const deny = () => decision.deny(returning)
  const confirmation = { isOpen: isConfirming, confirm: send, cancel: () => setConfirming(false) }
  const doubts = { isOtherBundle, isOtherWorkspace }
  return {
    place,
    state,
    offer,
    reload,
    returning,
    grounds,
    code,
    decision,
    approve,
    deny,
    confirmation,
    doubts,
  }
}

function choiceOf(
  { bundle, names, bundles }: NamesOffer,
  { workspaceId, workspaceName }: { workspaceId: string; workspaceName: string | null },
): Choice {
  const listed = bundle ?? { id: '', name: workspaceName ?? '' }
  const keys = (bundle === null ? bundles : names).map(({ name }) => name)
  return { kind: 'names', isSecond: false, workspaceId, bundle: listed, keys }
}
