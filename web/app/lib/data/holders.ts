import type { Holder } from '../calls/answers.ts'
import { useAnswer } from '../calls/use-call.ts'

/** Entries of one answer; a key with more holders shows those of its oldest versions. */
export const MOST_HOLDERS = 1_000

const REFETCH_MS = 15_000

/** Who was given which version of a key, the oldest version first. */
export function useHolders(key_id: string) {
  return useAnswer(
    'listHolders',
    { key_id, limit: MOST_HOLDERS },
    // A terminal that fetches clears its entry while the page is open.
    { staleTime: 0, refetchInterval: REFETCH_MS },
  )
}

/** Whether a holder was last given another version than the current one. */
export function isStale({ version, perhaps_version }: Holder, current: number): boolean {
  return (version ?? perhaps_version) !== current
}
