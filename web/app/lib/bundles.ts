import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Bundle, BundleWithItems } from './answers.ts'
import { call } from './api.ts'
import { refreshLibrary } from './keys.ts'
import { optimistic } from './optimistic.ts'

export const BUNDLES = ['bundles']
export const bundleKey = (id: string) => ['bundle', id]

const fetchBundle = (id: string) => call('GET', '/api/v1/bundles/{bundle_id}', { params: { bundle_id: id } })

/** All bundles of the current tenant, by name. */
export function useBundles() {
  return useQuery({ queryKey: BUNDLES, queryFn: () => call('GET', '/api/v1/bundles') })
}

/** One bundle with its entries, secrets masked. */
export function useBundle(id: string) {
  return useQuery({ queryKey: bundleKey(id), queryFn: () => fetchBundle(id) })
}

/** The values of a bundle that everyone may read, by name; empty without a bundle. */
export function useReadableValues(bundleId: string | null): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: bundleKey(bundleId ?? ''),
    queryFn: () => fetchBundle(bundleId ?? ''),
    enabled: bundleId !== null,
  })
  const readable = data?.items.filter(({ is_secret }) => !is_secret) ?? []
  return new Map(readable.map(({ name, value }) => [name, value]))
}

export type NewBundle = { name: string; description: string; tags: string }

export function useCreateBundle() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewBundle) => call('POST', '/api/v1/bundles', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: BUNDLES }),
  })
}

/** Change a bundle's name, description or tags. */
export function useUpdateBundle(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Partial<NewBundle>) =>
      call('PUT', '/api/v1/bundles/{bundle_id}', { params: { bundle_id: id }, body }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: bundleKey(id) })
      await client.invalidateQueries({ queryKey: BUNDLES })
    },
  })
}

/** `own`: names whose keys are copied; `values`: names whose copies get another value. */
export type Duplicate = { name: string; own: string[]; values: Record<string, string> }

/** Create a bundle with the keys of another, or with copies of them. */
export function useDuplicateBundle(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Duplicate) =>
      call('POST', '/api/v1/bundles/{bundle_id}/duplicate', { params: { bundle_id: id }, body }),
    // The typed values would otherwise stay in memory with the mutation's variables.
    gcTime: 0,
    onSuccess: () => refreshLibrary(client),
  })
}

export function useDeleteBundle() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: { id: string }) =>
      call('DELETE', '/api/v1/bundles/{bundle_id}', { params: { bundle_id: id } }),
    ...optimistic<Bundle[], { id: string }>(client, BUNDLES, (bundles, { id }) =>
      bundles.filter((bundle) => bundle.id !== id),
    ),
  })
}

/** Create a deleted bundle again, with the same keys, names and order; its id is another one. */
export async function restoreBundle({ name, description, tags, items }: BundleWithItems): Promise<void> {
  const { id } = await call('POST', '/api/v1/bundles', { body: { name, description, tags } })
  for (const item of items) {
    if (item.id === null) continue
    await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', {
      params: { bundle_id: id, key_id: item.id },
      body: { as: item.name, required: item.required },
    })
  }
}
