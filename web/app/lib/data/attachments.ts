import { useMemo } from 'react'
import type { BundleItem, SharedKey } from '../calls/answers.ts'
import { call } from '../calls/call.ts'
import { LIBRARY } from '../calls/refreshes.ts'
import { shown, useAnswer, useChange, useSteps } from '../calls/use-call.ts'
import { listed } from '../words/counted.ts'

/** What else uses the bundle's keys, by key id; a key that only this bundle uses is not in it. */
export function useSharedKeys(bundle_id: string): ReadonlyMap<string, SharedKey> {
  const { data } = useAnswer('listSharedKeys', { bundle_id })
  return useMemo(() => new Map((data ?? []).map((shared) => [shared.key_id, shared])), [data])
}

/** Who else uses a key: `dev/app and 2 more`. */
export function sharedText({ shared_with, shared_total }: SharedKey): string {
  return listed([shared_with], 1, shared_total)
}

/** Detach a key: gone from the list at once, back when the server refuses. The answer says whether the person may
 * attach it again. */
export function useDetachKey(bundle_id: string) {
  return useSteps(
    async ({ key_id }: { key_id: string }) => {
      const { may_show } = await call('getKey', { key_id })
      await call('detachKey', { bundle_id, key_id })
      return { may_show }
    },
    { shows: shownItems(bundle_id, (items, { key_id }) => items.filter(({ id }) => id !== key_id)) },
  )
}

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

/** Change whether a key is required. */
export function useRequireKey(bundle_id: string) {
  return useChange(
    'changeAttachment',
    { bundle_id },
    {
      shows: shownItems(bundle_id, (items, { key_id, required = false }) =>
        items.map((item) => (item.id === key_id ? { ...item, required } : item)),
      ),
    },
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
