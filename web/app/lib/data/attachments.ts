import type { BundleItem } from '../calls/answers.ts'
import { call } from '../calls/call.ts'
import { LIBRARY } from '../calls/refreshes.ts'
import { shown, useChange, useSteps } from '../calls/use-call.ts'

/** Move a key to a 0-based position. */
export function useReorderKey(bundle_id: string) {
  return useChange(
    'reorderKey',
    { bundle_id },
    { shows: shownItems(bundle_id, (items, { key_id, order }) => moved(items, key_id, order)) },
  )
}

/** Deliver another key in the place of one, under the same name. */
export function useReplaceKey(bundle_id: string) {
  return useSteps(
    ({ from, to }: { from: string; to: string }) =>
      call('changeAttachment', { bundle_id, key_id: from }, { body: { key_id: to } }),
    { refreshes: LIBRARY },
  )
}

function shownItems<Variables>(
  bundle_id: string,
  update: (items: BundleItem[], variables: Variables) => BundleItem[],
) {
  return shown('getBundle', { bundle_id }, (bundle, variables: Variables) => ({
    ...bundle,
    items: update(bundle.items, variables),
  }))
}

/** The entries with one attached key moved to a position and all positions renewed; legacy items stay behind. */
export function moved(items: readonly BundleItem[], keyId: string, order: number): BundleItem[] {
  const attached = items.filter(({ order: position }) => position !== null)
  const legacy = items.filter(({ order: position }) => position === null)
  const from = attached.findIndex(({ id }) => id === keyId)
  const [item] = from === -1 ? [] : attached.splice(from, 1)
  if (item !== undefined) attached.splice(order, 0, item)
  return [...attached.map((entry, index) => ({ ...entry, order: index })), ...legacy]
}
