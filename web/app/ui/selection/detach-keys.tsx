import { useState } from 'react'
import type { KeyUse } from '../../lib/calls/answers.ts'
import { useKeyUses } from '../../lib/data/key-batches.ts'
import { useCanEdit } from '../../lib/data/me.ts'
import { counted } from '../../lib/words/counted.ts'
import { Combobox } from '../combobox.tsx'
import { KeyQuestion, type KeyQuestionParts } from './key-question.tsx'

/** Asks before keys are detached: from the bundle of this page, or from one that the person chooses. */
export function DetachKeys({ keys, bundle: here, onDone, onClose }: KeyQuestionParts) {
  const ids = keys.map(({ id }) => id)
  const canEdit = useCanEdit()
  const uses = useKeyUses(ids)?.filter(canEdit)
  const [picked, setPicked] = useState<string | null>(here?.id ?? null)
  const only = uses?.length === 1 ? uses[0] : undefined
  const chosenId = picked ?? only?.id ?? null
  const bundle = uses?.find(({ id }) => id === chosenId)
  return (
    <KeyQuestion
      title={`Detach ${counted(keys.length, 'key')}?`}
      action="Detach"
      change={bundle === undefined ? null : { action: 'detach', key_ids: ids, bundle_id: bundle.id }}
      doneText={({ changed }) =>
        `Detached ${counted(changed, 'key')} from ${bundle?.name}. They stay in the library.`
      }
      hasList={here === null && only === undefined}
      onDone={onDone}
      onClose={onClose}
    >
      {here === null && <BundleOf uses={uses} chosenId={chosenId} onChoose={setPicked} />}
      {bundle !== undefined && (
        <p>
          {bundle.name} delivers {bundle.key_count} of the {counted(keys.length, 'key')}. Programs that start
          with it do not get them any more. The keys stay in the library.
        </p>
      )}
    </KeyQuestion>
  )
}

type BundleOfProps = {
  uses: readonly KeyUse[] | undefined
  chosenId: string | null
  onChoose: (id: string) => void
}

function BundleOf({ uses, chosenId, onChoose }: BundleOfProps) {
  if (uses === undefined) return <p role="status">Looking up the bundles that use them…</p>
  if (uses.length === 0) return <p>You can change no bundle that uses them.</p>
  const options = uses.map(({ id, name, key_count }) => ({ id, name, detail: counted(key_count, 'key') }))
  return (
    <Combobox
      label="Bundle"
      placeholder="Choose a bundle"
      options={options}
      chosenId={chosenId}
      onChoose={onChoose}
    />
  )
}
