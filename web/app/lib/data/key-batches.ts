import type { AnswerOf } from '@keyferry/contract/client'
import type { KeysChange } from '../calls/answers.ts'
import { call } from '../calls/call.ts'
import { LIBRARY } from '../calls/refreshes.ts'
import { useAnswer } from '../calls/use-answer.ts'
import { useSteps } from '../calls/use-change.ts'

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
