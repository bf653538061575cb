import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { KeysChange } from './answers.ts'
import { call } from './api.ts'
import { refreshLibrary } from './keys.ts'

type Changed = { changed: number; unchanged: number }

/** One action on several keys, all or nothing. */
export function useChangeKeys(onChanged: (changed: Changed) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: KeysChange) => call('POST', '/api/v1/keys/batch', { body }),
    // Before the lists are read again: the rows that leave them take the dialog along.
    onSuccess: onChanged,
    // After a refusal, too: the keys are not what the page shows.
    onSettled: () => refreshLibrary(client),
  })
}

/** The bundles that use any of the keys; undefined until they are known. */
export function useKeyUses(keyIds: readonly string[]) {
  const { data } = useQuery({
    queryKey: ['bundle', 'uses', keyIds],
    queryFn: () => call('POST', '/api/v1/keys/uses', { body: { key_ids: [...keyIds] } }),
    gcTime: 0,
    staleTime: 0,
  })
  return data?.bundles
}
