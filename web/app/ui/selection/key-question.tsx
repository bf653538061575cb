import type { ReactNode } from 'react'
import type { Key, KeysChange, KeyUse } from '../../lib/calls/answers.ts'
import { describeFailure } from '../../lib/calls/failure.ts'
import { useChangeKeys } from '../../lib/data/keys.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { Dialog } from '../dialog.tsx'
import { Notice } from '../notice.tsx'
import { notify } from '../toast-store.ts'

/** What the dialog of one action gets. */
export type KeyQuestionParts = {
  keys: readonly Key[]
  bundle: { id: string; name: string } | null
  onDone: () => void
  onClose: () => void
}

type KeyQuestionProps = Pick<KeyQuestionParts, 'onDone' | 'onClose'> & {
  title: string
  action: string
  isDangerous?: boolean
  /** Leaves room for a list that opens. */
  hasList?: boolean
  /** Null while something has to be chosen. */
  change: KeysChange | null
  /** What the page says when it is done. */
  doneText: (changed: { changed: number; unchanged: number }) => string
  children: ReactNode
}

/** Asks before several keys are changed, and changes all of them or none. */
export function KeyQuestion({ title, action, change, doneText, children, ...rest }: KeyQuestionProps) {
  const changeKeys = useChangeKeys((changed) => {
    rest.onDone()
    notify({ text: doneText(changed) })
  })
  return (
    <Dialog title={title} onClose={rest.onClose}>
      <div className={classNames('space-y-3 text-ink-soft', rest.hasList === true && 'min-h-64')}>
        {children}
      </div>
      {changeKeys.error !== null && (
        <Notice tone="danger" role="alert" className="mt-4">
          {describeFailure(changeKeys.error).message}
        </Notice>
      )}
      <div className="mt-6 flex flex-wrap justify-end gap-3">
        <Button label="Cancel" onClick={rest.onClose} />
        <Button
          label={action}
          look={rest.isDangerous === true ? 'danger' : 'primary'}
          busy={changeKeys.isPending}
          disabled={change === null}
          onClick={() => change !== null && changeKeys.mutate(change)}
        />
      </div>
    </Dialog>
  )
}

/** Names in a box that scrolls. */
export function NameList({ label, names }: { label: string; names: readonly string[] }) {
  return (
    <ul
      aria-label={label}
      className="max-h-40 list-disc overflow-auto pl-5 font-mono text-sm [overflow-wrap:anywhere] text-ink"
    >
      {names.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  )
}

/** The bundles that an action changes, each with how many of the keys it uses. */
export function AffectedBundles({ uses }: { uses: readonly KeyUse[] | undefined }) {
  if (uses === undefined) return <p role="status">Looking up the bundles that use them…</p>
  if (uses.length === 0) return <p>No bundle uses them.</p>
  return (
    <>
      <p>This changes {counted(uses.length, 'bundle')}:</p>
      <NameList
        label="Bundles"
        names={uses.map(({ name, key_count }) => `${name} (${counted(key_count, 'key')})`)}
      />
    </>
  )
}
