import type { AnswerOf, CallInput } from '@keyferry/contract/client'
import type { Key, KeysChange } from '../calls/answers.ts'
import { call } from '../calls/call.ts'
import { LIBRARY } from '../calls/refreshes.ts'
import { useAnswer, useSteps } from '../calls/use-call.ts'

/** All keys of the library, each with the bundles that use it. */
export const useLibrary = () => useAnswer('listKeys', { uses: '1' })

export type KeyLifetime = Pick<Key, 'expires_at' | 'rotate_after_days'>

/** `expected_version`: the version that the person saw; the server refuses to overwrite a newer one. */
export type KeyUpdateInput = Omit<CallInput<'updateKey'>, 'key_id'>

// The answer names who holds the value from before.
const WITH_FACTS = { query: { facts: '1' } }

/** Save a change of a key in every bundle that uses it, or, with `bundleId`, in that bundle only, which gets its own
 * key. The answer is the key that contains the change. */
export function useSaveKey(key_id: string) {
  return useSteps(
    async ({ change, bundleId }: { change: KeyUpdateInput; bundleId: string | null }) => {
      if (bundleId === null) return await call('updateKey', { key_id, ...change }, WITH_FACTS)
      const { expected_version: _, expected: __, ...body } = change
      return await call('splitKey', { bundle_id: bundleId, key_id, ...body }, WITH_FACTS)
    },
    { refreshes: LIBRARY },
  )
}

/** One action on several keys, all or nothing. `onChanged` comes before the lists are read again: the rows that leave
 * them take the dialog along. */
export function useChangeKeys(onChanged: (changed: AnswerOf<'changeKeys'>) => void) {
  return useSteps(
    async (change: KeysChange) => {
      const changed = await call('changeKeys', change)
      onChanged(changed)
      return changed
    },
    { refreshes: LIBRARY },
  )
}

/** The bundles that use any of the keys; undefined until they are known. */
export function useKeyUses(keyIds: readonly string[]) {
  return useAnswer('findKeyUses', { key_ids: [...keyIds] }, { gcTime: 0, staleTime: 0 }).data?.bundles
}

/** The secrets among the keys that programs would get from this bundle under weaker rules. */
export function useStricter(keyIds: readonly string[], bundleId: string | null): readonly string[] {
  return useUsesIn(keyIds, bundleId)?.stricter ?? []
}

/** The secrets among the keys whose copies in this bundle come under weaker rules. */
export function useWeaker(keyIds: readonly string[], bundleId: string | null): readonly string[] {
  return useUsesIn(keyIds, keyIds.length === 0 ? null : bundleId)?.weaker ?? []
}

function useUsesIn(keyIds: readonly string[], bundleId: string | null) {
  const input = { key_ids: [...keyIds], bundle_id: bundleId ?? '' }
  const options = { gcTime: 0, staleTime: 0, enabled: bundleId !== null }
  return useAnswer('findKeyUses', input, options).data
}
