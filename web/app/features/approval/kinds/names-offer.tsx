import type { NamesOffer } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { call } from '../calls.ts'
import { Quiet, useLoaded, WhenLoaded } from '../loaded.tsx'
import type { Action, ApprovalOffer } from '../offer.ts'
import { BundleChoice } from '../place/bundle-choice.tsx'
import { inWorkspace } from '../place/place.ts'
import type { ChosenPlace } from '../place/use-place.ts'
import type { RequestView } from '../request-state.ts'

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
        {(ready) => <List {...ready} />}
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
  return useLoaded(isChosen ? { workspaceId, query } : null, (chosen) =>
    call('previewNames', { request_id: requestId, ...chosen.query }, inWorkspace(chosen.workspaceId)),
  )
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

function List({ bundle, names, bundles, left_out }: NamesOffer) {
  if (bundle !== null && names.length === 0) return <Quiet>This bundle delivers no names.</Quiet>
  if (bundle !== null) {
    const rows = names.map(({ name, is_secret, required }) => ({
      name,
      note: `${is_secret ? 'secret' : 'not secret'}${required ? ', required' : ''}`,
    }))
    return <Rows label="Names to list" rows={rows} />
  }
  const rows = bundles.map(({ name, key_count }) => ({ name, note: counted(key_count, 'key') }))
  return (
    <>
      {rows.length === 0 ? (
        <Quiet>There are no bundles to list.</Quiet>
      ) : (
        <Rows label="Bundles to list" rows={rows} />
      )}
      {left_out > 0 && (
        <p className="mt-2 text-sm text-ink-soft">
          {left_out === 1
            ? '1 bundle is left out: its rules do not allow this list.'
            : `${left_out} bundles are left out: their rules do not allow this list.`}
        </p>
      )}
    </>
  )
}

function Rows({ label, rows }: { label: string; rows: readonly { name: string; note: string }[] }) {
  return (
    <VirtualList
      label={label}
      items={rows}
      keyOf={({ name }) => name}
      rowHeight={42}
      render={({ name, note }) => (
        <p className="flex flex-wrap items-baseline gap-x-3 px-3 py-2.5">
          <span className="min-w-0 flex-1 font-mono text-sm font-medium break-all">{name}</span>
          <span className="text-xs text-ink-soft">{note}</span>
        </p>
      )}
    />
  )
}
