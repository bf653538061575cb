import { useState } from 'react'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useKeyUses } from '../../lib/data/key-batches.ts'
import { useCanEdit } from '../../lib/data/me.ts'
import { counted } from '../../lib/words/counted.ts'
import { Combobox } from '../combobox.tsx'
import { KeyQuestion, type KeyQuestionParts } from './key-question.tsx'

/** Asks for the bundle to attach keys to. */
export function AttachKeys({ keys, bundle: here, onDone, onClose }: KeyQuestionParts) {
  const [bundleId, setBundleId] = useState<string | null>(null)
  const canEdit = useCanEdit()
  const bundles = useAnswer('listBundles', {}).data?.filter(
    (bundle) => bundle.id !== here?.id && canEdit(bundle),
  )
  const ids = keys.map(({ id }) => id)
  const attached = useKeyUses(ids)?.find(({ id }) => id === bundleId)?.key_count ?? 0
  const name = bundles?.find(({ id }) => id === bundleId)?.name ?? 'the bundle'
  return (
    <KeyQuestion
      title={`Attach ${counted(keys.length, 'key')}`}
      action="Attach"
      change={bundleId === null ? null : { action: 'attach', key_ids: ids, bundle_id: bundleId }}
      doneText={({ changed, unchanged }) =>
        `Attached ${counted(changed, 'key')} to ${name}.${unchanged > 0 ? ` ${unchanged} already attached.` : ''}`
      }
      hasList
      onDone={onDone}
      onClose={onClose}
    >
      {bundles === undefined ? (
        <p role="status">Looking up the bundles…</p>
      ) : bundles.length === 0 ? (
        <p>There is no other bundle that you can change. Create one first.</p>
      ) : (
        <Combobox
          label="Bundle"
          placeholder="Choose a bundle"
          options={bundles}
          chosenId={bundleId}
          onChoose={setBundleId}
        />
      )}
      <p>The bundle delivers them after its other keys. Terminals get them at the next approval.</p>
      {attached > 0 && (
        <p role="status">
          {attached} of the {counted(keys.length, 'key')} {attached === 1 ? 'is' : 'are'} attached already.
        </p>
      )}
    </KeyQuestion>
  )
}
