import { useKeyUses } from '../../lib/data/key-batches.ts'
import { counted } from '../../lib/words/counted.ts'
import { AffectedBundles, KeyQuestion, type KeyQuestionParts, NameList } from './key-question.tsx'

/** Asks before keys are deleted, and names the bundles that lose them. */
export function DeleteKeys({ keys, onDone, onClose }: KeyQuestionParts) {
  const ids = keys.map(({ id }) => id)
  const uses = useKeyUses(ids)
  const what = counted(keys.length, 'key')
  return (
    <KeyQuestion
      title={`Delete ${what}?`}
      action={`Delete ${what}`}
      isDangerous
      change={uses === undefined ? null : { action: 'delete', key_ids: ids }}
      doneText={({ changed }) => `Deleted ${counted(changed, 'key')}.`}
      onDone={onDone}
      onClose={onClose}
    >
      <p>Their values are lost for good. This cannot be undone.</p>
      <NameList label="Keys" names={keys.map(({ name }) => name)} />
      <AffectedBundles uses={uses} />
    </KeyQuestion>
  )
}
