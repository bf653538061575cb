import type { NamesOffer } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { deferred } from '../../../ui/deferred.tsx'
import { call } from '../calls.ts'
import { useLoaded, WhenLoaded } from '../loaded.tsx'
import type { Action, ApprovalOffer } from '../offer.ts'
import { inWorkspace } from '../place/place.ts'
import type { ChosenPlace } from '../place/use-place.ts'
import type { RequestView } from '../request-state.ts'

const loadNames = () => import('./offered-names.tsx')
const OfferedNames = deferred('OfferedNames', loadNames)
const BundleChoice = deferred('BundleChoice', () => import('../place/bundle-choice.tsx'))

/** What the terminal would list: the names of the chosen bundle, or the bundles of the chosen workspace. */
export function useNamesOffer({ requestId, request }: RequestView, place: ChosenPlace): ApprovalOffer {
  const asksForBundle = request.context.suggested_bundle_id !== null
  const loaded = useNames(requestId, place, asksForBundle)
  const offer = loaded.value
  return {
    phase: loaded.phase,
    rules: offer,
    bundle: offer?.bundle ?? null,
    choice: asksForBundle && <BundleChoice place={place} context={request.context} />,
    content: (
      <WhenLoaded
        of={loaded}
        none={`Choose a ${asksForBundle ? 'bundle' : 'workspace'} to see the list.`}
        loading="Loading the list…"
      >
        {(ready) => <OfferedNames {...ready} />}
      </WhenLoaded>
    ),
    action: actionOf(offer, place.workspaceName),
    doubts: [],
    approval: offer === null ? null : approvalOf(offer, place.workspaceName),
  }
}

function useNames(requestId: string, { workspaceId, bundleId }: ChosenPlace, asksForBundle: boolean) {
  const isChosen = workspaceId !== null && (bundleId !== null || !asksForBundle)
  const query = asksForBundle && bundleId !== null ? { bundle_id: bundleId } : {}
  return useLoaded(isChosen ? { workspaceId, query } : null, async (chosen) => {
    const asked = { request_id: requestId, ...chosen.query }
    const [offer] = await Promise.all([
      call('previewNames', asked, inWorkspace(chosen.workspaceId)),
      loadNames(),
    ])
    return offer
  })
}

function actionOf(offer: NamesOffer | null, workspace: string | null): Action {
  const { bundle = null, names = [], bundles = [] } = offer ?? {}
  const [count, thing] = bundle === null ? [bundles.length, 'bundle'] : [names.length, 'name']
  const name = offer === null ? null : (bundle?.name ?? workspace)
  return { label: offer === null ? 'List' : `List ${counted(count, thing)}`, count, thing, name }
}

function approvalOf(
  { bundle, names, bundles }: NamesOffer,
  workspace: string | null,
): ApprovalOffer['approval'] {
  return {
    bundle: bundle ?? { id: '', name: workspace ?? '' },
    keys: (bundle === null ? bundles : names).map(({ name }) => name),
    send: (request, options) =>
      call('approveNames', { ...request, ...(bundle && { bundle_id: bundle.id }) }, options),
  }
}
