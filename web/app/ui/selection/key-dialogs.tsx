import { useState } from 'react'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useProduction } from '../../lib/data/bundles.ts'
import { useKeyUses, useStricter } from '../../lib/data/keys.ts'
import { counted } from '../../lib/words/counted.ts'
import { Combobox } from '../combobox.tsx'
import { NameList } from '../name-list.tsx'
import { StricterNotice } from '../stricter-notice.tsx'
import { AffectedBundles, KeyQuestion, type KeyQuestionParts } from './key-question.tsx'

/** Asks for the bundle that gets the variables. */
export function AddToBundle({ keys, ...ending }: KeyQuestionParts) {
  const [bundleId, setBundleId] = useState<string | null>(null)
  const bundles = useAnswer('listBundles', {}).data?.filter(({ may_edit }) => may_edit)
  const ids = keys.map(({ id }) => id)
  const stricter = useStricter(ids, bundleId)
  const production = useProduction()
  const name = bundles?.find(({ id }) => id === bundleId)?.name ?? 'the bundle'
  return (
    <KeyQuestion
      title={`Add ${counted(keys.length, 'variable')} to a bundle`}
      action="Add"
      isProduction={production?.has(bundleId ?? '') ?? false}
      change={bundleId === null ? null : { action: 'attach', key_ids: ids, bundle_id: bundleId }}
      doneText={({ changed }) => `Added ${counted(changed, 'variable')} to ${name}.`}
      hasList
      {...ending}
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
      <p>Terminals get them at the next approval.</p>
      <StricterNotice names={stricter} />
    </KeyQuestion>
  )
}

/** Asks before keys are deleted, and names the bundles that lose them. */
export function DeleteKeys({ keys, onDone, onClose }: KeyQuestionParts) {
  const ids = keys.map(({ id }) => id)
  const uses = useKeyUses(ids)
  const production = useProduction()
  const names = keys.map(({ name }) => name)
  const what = names.length === 1 ? names.join() : counted(names.length, 'variable')
  return (
    <KeyQuestion
      title={`Delete ${what}?`}
      action={`Delete ${what}`}
      isProduction={uses?.some(({ id }) => production?.has(id)) ?? false}
      change={uses === undefined || production === undefined ? null : { action: 'delete', key_ids: ids }}
      doneText={() => `Deleted ${what}.`}
      onDone={onDone}
      onClose={onClose}
    >
      <p>All versions are lost for good. This cannot be undone.</p>
      {names.length > 1 && <NameList label="Variables" names={names} />}
      <AffectedBundles uses={uses} />
    </KeyQuestion>
  )
}
