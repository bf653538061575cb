import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Key } from './answers.ts'
import { call } from './api.ts'
import { optimistic } from './optimistic.ts'

export const KEYS = ['keys']
const keyKey = (id: string) => ['key', id]

/** All keys of the library, by name, secrets masked. */
export function useKeys() {
  return useQuery({ queryKey: KEYS, queryFn: () => call('GET', '/api/v1/keys') })
}

/** One key and the bundles that use it. */
export function useKey(id: string) {
  return useQuery({
    queryKey: keyKey(id),
    queryFn: () => call('GET', '/api/v1/keys/{key_id}', { params: { key_id: id } }),
  })
}

export type NewKey = { name: string; value: string; is_secret: boolean; description: string }

export function useCreateKey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewKey) => call('POST', '/api/v1/keys', { body }),
    // The typed value would otherwise stay in memory with the mutation's variables.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: KEYS }),
  })
}

export type KeyChange = { value?: string; description?: string; is_secret?: boolean }

export function useUpdateKey(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: KeyChange) => call('PUT', '/api/v1/keys/{key_id}', { params: { key_id: id }, body }),
    gcTime: 0,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keyKey(id) })
      await client.invalidateQueries({ queryKey: KEYS })
      await client.invalidateQueries({ queryKey: ['bundle'] })
    },
  })
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
