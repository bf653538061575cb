import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Holder } from './answers.ts'
import { call } from './api.ts'
import { serverNowMs } from './server-clock.ts'

export const STALE_KEYS = ['stale-keys']
const holdersKey = (keyId: string) => ['key', keyId, 'holders']

/** Entries of one answer; a key with more holders shows those of its oldest versions. */
export const MOST_HOLDERS = 1_000

/** Days after which home reminds of holders that were given an older version. */
const STALE_DAYS = 7
const REFETCH_MS = 15_000
const DAY_MS = 86_400_000

/** Who was given which version of a key, the oldest version first. */
export function useHolders(keyId: string) {
  return useQuery({
    queryKey: holdersKey(keyId),
    queryFn: () =>
      call('GET', '/api/v1/keys/{key_id}/holders', {
        params: { key_id: keyId },
        query: { limit: MOST_HOLDERS },
      }),
    // A terminal that fetches clears its entry while the page is open.
    staleTime: 0,
    refetchInterval: REFETCH_MS,
  })
}

/** Whether a holder was last given another version than the current one. */
export function isStale({ version, perhaps_version }: Holder, current: number): boolean {
  return (version ?? perhaps_version) !== current
}

export function useDismissHolder(keyId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (holder: string) =>
      call('DELETE', '/api/v1/keys/{key_id}/holders/{holder}', { params: { key_id: keyId, holder } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['key', keyId] })
      await client.invalidateQueries({ queryKey: STALE_KEYS })
    },
  })
}

/** Keys whose older versions someone was given last. */
export function useStaleKeys() {
  return useQuery({
    queryKey: STALE_KEYS,
    queryFn: () => call('GET', '/api/v1/stale-keys', { query: { limit: 1_000 } }),
  })
}

/** Keys that changed more than STALE_DAYS ago and whose older versions someone was given last. */
export function useLongStaleKeys() {
  return useQuery({
    queryKey: [...STALE_KEYS, 'long'],
    queryFn: () => {
      const before = new Date(serverNowMs() - STALE_DAYS * DAY_MS).toISOString()
      return call('GET', '/api/v1/stale-keys', { query: { before, limit: 100 } })
    },
  })
}
