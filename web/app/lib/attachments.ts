import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { BundleItem, BundleWithItems, SharedKey } from './answers.ts'
import { call } from './api.ts'
import { bundleKey } from './bundles.ts'
import { refreshLibrary } from './keys.ts'
import { optimistic } from './optimistic.ts'

/** `as`: the name under which the bundle delivers the key; without it the key's own. */
export type Attachment = { keyId: string; as?: string; order?: number; required?: boolean }

const PATH = '/api/v1/bundles/{bundle_id}/keys/{key_id}'

const attach = (bundleId: string, { keyId, required = false, ...rest }: Attachment) =>
  call('POST', PATH, { params: { bundle_id: bundleId, key_id: keyId }, body: { required, ...rest } })

const detach = (bundleId: string, keyId: string) =>
  call('DELETE', PATH, { params: { bundle_id: bundleId, key_id: keyId } })

/** Attach keys, one after another, in the given order. */
export function useAttachKeys(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (attachments: readonly Attachment[]) => {
      for (const attachment of attachments) await attach(bundleId, attachment)
    },
    onSettled: () => refreshLibrary(client),
  })
}

/** What else uses the bundle's keys, by key id; a key that only this bundle uses is not in it. */
export function useSharedKeys(bundleId: string): ReadonlyMap<string, SharedKey> {
  const { data = [] } = useQuery({
    queryKey: [...bundleKey(bundleId), 'shared'],
    queryFn: () =>
      call('GET', '/api/v1/bundles/{bundle_id}/shared-keys', { params: { bundle_id: bundleId } }),
  })
  return useMemo(() => new Map(data.map((shared) => [shared.key_id, shared])), [data])
}

/** Who else uses a key: `dev/app and 2 more`. */
export function sharedText({ shared_with, shared_total }: SharedKey): string {
  return shared_total === 1 ? shared_with : `${shared_with} and ${shared_total - 1} more`
}

export type AttachmentChange = { as?: string; key_id?: string }

/** Change the name that the bundle delivers, or the key that it uses. */
export function useChangeAttachment(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ keyId, change }: { keyId: string; change: AttachmentChange }) =>
      call('PUT', PATH, { params: { bundle_id: bundleId, key_id: keyId }, body: change }),
    onSuccess: () => refreshLibrary(client),
  })
}

export type Split = {
  bundleId: string
  keyId: string
  value?: string
  is_secret?: boolean
  is_template?: boolean
}

/** Replace a shared key in a bundle by the bundle's own key, with the same value or another. */
export function useSplitKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ bundleId, keyId, ...body }: Split) =>
      call('POST', `${PATH}/split`, { params: { bundle_id: bundleId, key_id: keyId }, body }),
    // The typed value would otherwise stay in memory with the mutation's variables.
    gcTime: 0,
    onSuccess: () => refreshLibrary(client),
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
