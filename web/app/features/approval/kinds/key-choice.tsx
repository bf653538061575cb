import { type ReactNode, useState } from 'react'
import type { RequestBundle, RequestBundleItem } from '../../../lib/calls/answers.ts'
import { counted } from '../../../lib/words/counted.ts'
import { deferred } from '../../../ui/deferred.tsx'
import { KeyRound } from '../../../ui/icons.ts'
import { OpenFact } from '../card.tsx'
import type { KeyListProps } from './key-list.tsx'
import { changedFirst, splitByAsking } from './selection.ts'

const KeyList = deferred('KeyList', () => import('./key-list.tsx'))

/** The bundle's variables, each with a checkbox, folded away. Those that the terminal did not request are folded once
 * more. */
export function KeyChoice(choice: KeyListProps) {
  const { bundle, items, selected } = choice
  const [open, setOpen] = useState(false)
  const { asked } = splitByAsking(choice)
  const { size } = selected
  const chosen =
    size === asked.length ? counted(size, 'variable') : `${size} of ${counted(asked.length, 'variable')}`
  return (
    <OpenFact
      Icon={KeyRound}
      label="Show"
      onToggle={setOpen}
      sentence={
        <>
          {chosen}, {changeOf(bundle, selected)}
        </>
      }
      small={lastChanges(items.filter(({ key }) => selected.has(key)))}
    >
      {open && <KeyList {...choice} items={changedFirst(items)} />}
    </OpenFact>
  )
}

function changeOf({ items, last_approved_at: last }: RequestBundle, selected: ReadonlySet<string>) {
  const count = items.filter(({ key, changed }) => changed === true && selected.has(key)).length
  if (last === null) return 'your first approval of this bundle'
  if (count === 0) return 'unchanged since you last approved'
  return <strong className="font-semibold">{count} changed since you last approved</strong>
}

const MOST_CHANGES = 2

/** Which values changed since the last approval, and who changed them; undefined: none. */
function lastChanges(items: readonly RequestBundleItem[]): ReactNode {
  const changed = items.filter((item) => item.changed === true)
  if (changed.length === 0) return undefined
  const more = changed.length - MOST_CHANGES
  return (
    <>
      {changed.slice(0, MOST_CHANGES).map(({ key, changed_by: by }, index) => (
        <span key={key}>
          {index > 0 && ', '}
          <span className="font-mono">{key}</span> by <bdi>{by ?? 'a former member'}</bdi>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  )
}
