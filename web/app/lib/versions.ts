import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from './api.ts'
import { keyKey, refreshLibrary } from './keys.ts'

/** The versions of a key, newest first. */
export function useKeyVersions(keyId: string) {
  return useQuery({
    queryKey: [...keyKey(keyId), 'versions'],
    queryFn: () =>
      call('GET', '/api/v1/keys/{key_id}/versions', { params: { key_id: keyId }, query: { limit: 1_000 } }),
  })
}

/** `expected`: the version that the person saw as the current one; the server refuses to replace a newer one. */
export type Restoring = { version: number; expected: number }

/** Make an older value the newest version. A refusal fetches the key again, because it has changed. */
export function useRestoreVersion(keyId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ version, expected }: Restoring) =>
      call('POST', '/api/v1/keys/{key_id}/restore', {
        params: { key_id: keyId },
        body: { version, expected_version: expected },
      }),
    onSuccess: () => refreshLibrary(client),
    onError: () => refreshKey(client, keyId),
  })
}

/** Destroy the value of an older version. */
export function useDestroyVersion(keyId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (version: number) =>
      call('DELETE', '/api/v1/keys/{key_id}/versions/{version}', {
        params: { key_id: keyId, version: String(version) },
      }),
    onSettled: () => refreshKey(client, keyId),
  })
}

/** Fetch a key again, with its versions and holders. */
function refreshKey(client: QueryClient, keyId: string): Promise<void> {
  return client.invalidateQueries({ queryKey: keyKey(keyId) })
}
