import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Key } from './answers.ts'
import { call } from './api.ts'
import { STALE_KEYS } from './holders.ts'
import { optimistic } from './optimistic.ts'

export const KEYS = ['keys']
export const keyKey = (id: string) => ['key', id]

const MOST_DUE = 100

/** Fetch again what a change of a key can show in: keys, bundles and comparisons. */
export async function refreshLibrary(client: QueryClient): Promise<void> {
  const shown = [KEYS, ['key'], ['bundle'], ['bundles'], ['compare'], STALE_KEYS, ['activity']]
  await Promise.all(shown.map((queryKey) => client.invalidateQueries({ queryKey })))
}

/** All keys of the library, by name, secrets masked. */
export function useKeys(enabled = true) {
  return useQuery({ queryKey: KEYS, queryFn: () => call('GET', '/api/v1/keys'), enabled })
}

/** Keys whose value should be replaced, by name. */
export function useDueKeys() {
  return useQuery({
    queryKey: [...KEYS, 'due'],
    queryFn: () => call('GET', '/api/v1/keys', { query: { due: '1', limit: MOST_DUE } }),
  })
}

/** One key and the bundles that use it. */
export function useKey(id: string) {
  return useQuery({
    queryKey: keyKey(id),
    queryFn: () => call('GET', '/api/v1/keys/{key_id}', { params: { key_id: id } }),
  })
}

export type Lifetime = { expires_at: string | null; rotate_after_days: number | null }

export type NewKey = {
  name: string
  value: string
  is_secret: boolean
  is_template: boolean
  description: string
} & Lifetime

export function useCreateKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewKey) => call('POST', '/api/v1/keys', { body }),
    // The typed value would otherwise stay in memory with the mutation's variables.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: KEYS }),
  })
}

/** `expected_version`: the version that the person saw; the server refuses to overwrite a newer one. */
export type KeyChange = {
  value?: string
  description?: string
  is_secret?: boolean
  is_template?: boolean
  expected_version?: number
} & Partial<Lifetime>

/** Save a change of a key in every bundle that uses it, or, with `bundleId`, in that bundle only, which gets its own key.
 * The answer is the key that holds the change. */
export function useSaveKey(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ change, bundleId }: { change: KeyChange; bundleId: string | null }) => {
      if (bundleId === null) return await update(id, change)
      const { expected_version: _, ...body } = change
      const params = { bundle_id: bundleId, key_id: id }
      return await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}/split', { params, body })
    },
    // The typed value would otherwise stay in memory with the mutation's variables.
    gcTime: 0,
    onSuccess: () => refreshLibrary(client),
    // A refusal may mean that the key has changed.
    onError: () => client.invalidateQueries({ queryKey: keyKey(id) }),
  })
}

function update(id: string, body: KeyChange) {
  return call('PUT', '/api/v1/keys/{key_id}', { params: { key_id: id }, body })
}

export function useDeleteKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: { id: string }) =>
      call('DELETE', '/api/v1/keys/{key_id}', { params: { key_id: id } }),
    ...optimistic<Key[], { id: string }>(client, KEYS, (keys, { id }) => keys.filter((key) => key.id !== id)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['bundle'] }),
  })
}
