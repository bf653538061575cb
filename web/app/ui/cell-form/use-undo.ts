import type { Key, SavedKey } from '../../lib/calls/answers.ts'
import { call } from '../../lib/calls/call.ts'
import { LIBRARY } from '../../lib/calls/refreshes.ts'
import { useSteps } from '../../lib/calls/use-call.ts'
import { failing, notify } from '../toast-store.ts'

/** Takes a saved value back: the version before, or the key that the bundle shared. The field or dialog is gone by
 * then, and with it the callbacks of a plain `mutate`.
 * @returns what takes it back, for the notice of its saving; nothing where no value changed */
export function useUndo(item: Pick<Key, 'id' | 'version'>, bundleId: string | undefined) {
  const undo = useSteps((run: () => Promise<unknown>) => run(), { refreshes: LIBRARY })
  return ({ id: key_id, version }: Pick<SavedKey, 'id' | 'version'>): { undo?: () => void } => {
    if (key_id === item.id && version === item.version) return {}
    const back =
      key_id === item.id || bundleId === undefined
        ? () => call('restoreKeyVersion', { key_id, version: item.version, expected_version: version })
        : () => call('changeAttachment', { bundle_id: bundleId, key_id }, { body: { key_id: item.id } })
    return {
      undo: () =>
        void undo
          .mutateAsync(back)
          .then(() => notify({ text: 'The value from before is back.' }), failing('take back the value')),
    }
  }
}
