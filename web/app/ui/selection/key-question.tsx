import type { ReactNode } from 'react'
import type { Key, KeysChange, KeyUse } from '../../lib/calls/answers.ts'
import { useChangeKeys } from '../../lib/data/keys.ts'
import { counted } from '../../lib/words/counted.ts'
import { classNames } from '../class-names.ts'
import { ConfirmDialog } from '../confirm-change.tsx'
import { NameList } from '../name-list.tsx'
import { notify } from '../toast-store.ts'

/** The key of a selected variable, and what the person may do with it. */
export type SelectedKey = Pick<Key, 'id' | 'name' | 'is_secret' | 'may_change' | 'may_show'>

/** What the dialog of one action gets. */
export type KeyQuestionParts = {
  keys: readonly SelectedKey[]
  onDone: () => void
  onClose: () => void
}

type KeyQuestionProps = Pick<KeyQuestionParts, 'onDone' | 'onClose'> & {
  title: string
  action: string
  isProduction?: boolean
  /** Leaves room for a list that opens. */
  hasList?: boolean
  /** Null while something has to be chosen. */
  change: KeysChange | null
  /** What the page says when it is done. */
  doneText: (changed: { changed: number }) => string
  children: ReactNode
}

/** Asks before several keys are changed, and changes all of them or none. */
export function KeyQuestion({ change, doneText, hasList = false, onDone, ...question }: KeyQuestionProps) {
  const changeKeys = useChangeKeys((changed) => {
    onDone()
    notify({ text: doneText(changed) })
  })
  return (
    <ConfirmDialog
      {...question}
      busy={changeKeys.isPending}
      error={changeKeys.error}
      isReady={change !== null}
      bodyClass={classNames('space-y-3 text-ink-soft', hasList && 'min-h-64')}
      onConfirm={() => change !== null && changeKeys.mutate(change)}
    />
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
        names={uses.map(({ name, key_count }) => `${name} (${counted(key_count, 'variable')})`)}
      />
    </>
  )
}
