import { useAnswer } from '../lib/calls/use-call.ts'
import { useMay } from '../lib/data/me.ts'
import type { EditConflict } from '../lib/page/use-edit.ts'
import { joined } from '../lib/words/counted.ts'
import { changedText } from '../lib/words/last-change.ts'
import { plainText } from '../lib/words/plain-text.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type FieldWords = {
  nameOf: (field: string) => string
  textOf: (field: string, value: unknown) => string
}

export type ConflictNoticeProps = {
  conflict: EditConflict
  /** The id of the record that both people changed, for who and when. */
  recordId: string
  /** How its fields and their values are called. */
  words?: Partial<FieldWords>
  /** Who changed the record last, and when, if its answer says that. Otherwise the log says it. */
  last?: { by: string | null; at: string }
}

/** Says that another person changed what this person is changing, shows both, and asks which one to keep. Nothing while
 * there is no such field. */
export function ConflictNotice(props: ConflictNoticeProps) {
  return props.conflict.conflicts.length === 0 ? null : <Conflicts {...props} />
}

function Conflicts({ conflict, recordId, words: own, last }: ConflictNoticeProps) {
  const words = { ...PLAIN, ...own }
  const { conflicts, keepMine, takeTheirs } = conflict
  const what = joined(
    conflicts.map(({ field }) => words.nameOf(field)),
    'and',
  )
  return (
    <Notice tone="problem" role="alert">
      <p>
        {last === undefined ? (
          <LastChange recordId={recordId} what={what} />
        ) : (
          changedText({ actor: { name: last.by }, at: last.at }, what)
        )}
        , after you opened this.
      </p>
      <ul className="mt-2 space-y-1">
        {conflicts.map(({ field, theirs, mine }) => (
          <li key={field} className="[overflow-wrap:anywhere]">
            <span className="inline-block first-letter:uppercase">{words.nameOf(field)}</span>. Theirs:{' '}
            <strong>{words.textOf(field, theirs)}</strong>. Yours:{' '}
            <strong>{words.textOf(field, mine)}</strong>.
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button label="Keep mine" size="small" onClick={keepMine} />
        <Button label="Discard mine" size="small" onClick={takeTheirs} />
      </div>
    </Notice>
  )
}

/** Who changed a record last, and when, as far as this person may read the log. */
function LastChange({ recordId, what }: { recordId: string; what: string }) {
  const enabled = useMay()('listAudit')
  const [last] = useAnswer('listAudit', { target: recordId, limit: 1 }, { enabled }).data ?? []
  return changedText(last, what)
}

const PLAIN: FieldWords = {
  nameOf: (field) => field.replaceAll('_', ' '),
  textOf: (_, value) => plainText(value),
}
