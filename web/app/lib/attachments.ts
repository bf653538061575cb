import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { BundleItem, BundleWithItems } from './answers.ts'
import { call } from './api.ts'
import { bundleKey } from './bundles.ts'
import { KEYS } from './keys.ts'
import { optimistic } from './optimistic.ts'

export type Attachment = { keyId: string; order?: number; required?: boolean }

const PATH = '/api/v1/bundles/{bundle_id}/keys/{key_id}'

const attach = (bundleId: string, { keyId, order, required = false }: Attachment) =>
  call('POST', PATH, {
    params: { bundle_id: bundleId, key_id: keyId },
    body: { required, ...(order === undefined ? {} : { order }) },
  })

const detach = (bundleId: string, keyId: string) =>
  call('DELETE', PATH, { params: { bundle_id: bundleId, key_id: keyId } })

/** Attach keys, one after another, in the given order. */
export function useAttachKeys(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (attachments: readonly Attachment[]) => {
      for (const attachment of attachments) await attach(bundleId, attachment)
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: bundleKey(bundleId) })
      await client.invalidateQueries({ queryKey: KEYS })
    },
  })
}

/** Detach a key: gone from the list at once, back when the server refuses. */
export function useDetachKey(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (keyId: string) => detach(bundleId, keyId),
    ...optimistic<BundleWithItems, string>(client, bundleKey(bundleId), (bundle, keyId) => ({
      ...bundle,
      items: bundle.items.filter(({ id }) => id !== keyId),
    })),
  })
}

/** Move a key to a 0-based position. */
export function useReorderKey(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ keyId, order }: { keyId: string; order: number }) =>
      call('PUT', `${PATH}/order`, { params: { bundle_id: bundleId, key_id: keyId }, body: { order } }),
    ...optimistic<BundleWithItems, { keyId: string; order: number }>(
      client,
      bundleKey(bundleId),
      (bundle, { keyId, order }) => ({ ...bundle, items: moved(bundle.items, keyId, order) }),
    ),
  })
}

/** Change whether a key is required. */
export function useRequireKey(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ keyId, required }: { keyId: string; required: boolean }) =>
      call('PUT', PATH, { params: { bundle_id: bundleId, key_id: keyId }, body: { required } }),
    ...optimistic<BundleWithItems, { keyId: string; required: boolean }>(
      client,
      bundleKey(bundleId),
      (bundle, { keyId, required }) => ({
        ...bundle,
        items: bundle.items.map((item) => (item.id === keyId ? { ...item, required } : item)),
      }),
    ),
  })
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
