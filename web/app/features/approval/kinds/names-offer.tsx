import type { NamesOffer } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { deferred } from '../../../ui/deferred.tsx'
import { call } from '../calls.ts'
import { useLoaded, WhenLoaded } from '../loaded.tsx'
import type { Action, ApprovalOffer } from '../offer.ts'
import { inWorkspace } from '../place/place.ts'
import type { ChosenPlace } from '../place/use-place.ts'
import type { RequestView } from '../request-state.ts'

const BundleChoice = deferred('BundleChoice', () => import('../place/bundle-choice.tsx'))

/** What the terminal would list: the names of the chosen bundle. */
export function useNamesOffer({ requestId, request }: RequestView, place: ChosenPlace): ApprovalOffer {
  const loaded = useNames(requestId, place)
  const offer = loaded.value?.offer ?? null
  return {
    phase: loaded.phase,
    rules: offer,
    bundle: offer?.bundle ?? null,
    choice: <BundleChoice place={place} context={request.context} />,
    content: (
      <WhenLoaded of={loaded} none="Choose a bundle to see the list." loading="Loading the list…">
        {({ offer: ready, OfferedNames }) => <OfferedNames {...ready} />}
      </WhenLoaded>
    ),
    action: actionOf(offer),
    doubts: [],
    approval: offer === null ? null : approvalOf(offer),
  }
}

function useNames(requestId: string, { workspaceId, bundleId }: ChosenPlace) {
  const chosen = workspaceId === null || bundleId === null ? null : { workspaceId, bundle_id: bundleId }
  return useLoaded(chosen, async ({ workspaceId: workspace, bundle_id }) => {
    const asked = { request_id: requestId, bundle_id }
    const [offer, { OfferedNames }] = await Promise.all([
      call('previewNames', asked, inWorkspace(workspace)),
      import('./offered-names.tsx'),
    ])
    return { offer, OfferedNames }
  })
}

function actionOf(offer: NamesOffer | null): Action {
  const count = offer?.names.length ?? 0
  const label = offer === null ? 'List' : `List ${counted(count, 'name')}`
  return { label, count, thing: 'name', name: offer?.bundle.name ?? null }
}

function approvalOf({ bundle, names }: NamesOffer): ApprovalOffer['approval'] {
  return {
    bundle,
    keys: names.map(({ name }) => name),
    send: (request, options) => call('approveNames', { ...request, bundle_id: bundle.id }, options),
  }
}
