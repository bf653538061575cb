import { counted } from '../../lib/words/counted.ts'
import { KeyQuestion, type KeyQuestionParts, NameList } from './key-question.tsx'

/** Asks before keys are declared secret. The opposite shows values, so it is done on each key's own page. */
export function DeclareSecret({ keys, onDone, onClose }: KeyQuestionParts) {
  const open = keys.filter(({ is_secret }) => !is_secret)
  const what = counted(open.length, 'key')
  const already = keys.length - open.length
  return (
    <KeyQuestion
      title={`Mark ${what} as secret?`}
      action={`Mark ${what}`}
      change={{ action: 'declare_secret', key_ids: keys.map(({ id }) => id) }}
      doneText={({ changed }) => `Marked ${counted(changed, 'key')} as secret.`}
      onDone={onDone}
      onClose={onClose}
    >
      <p>Pages and exports show a mask instead of their values. Programs get the same values as before.</p>
      <NameList label="Keys" names={open.map(({ name }) => name)} />
      {already > 0 && (
        <p>
          {already} of the selected keys {already === 1 ? 'is' : 'are'} secret already.
        </p>
      )}
    </KeyQuestion>
  )
}
