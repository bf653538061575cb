import { LIMITS } from '@keyferry/contract/limits'
import { type ReactNode, useId } from 'react'
import { stateOf, type useSelection } from '../../lib/page/selection.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { deferred } from '../deferred.tsx'
import type { SelectedKey } from './key-question.tsx'

// Most visits select nothing.
const KeyActions = deferred('KeyActions', () => import('./key-actions.tsx'))

type SelectedKeysProps = {
  selection: ReturnType<typeof useSelection>
  shown: readonly string[]
  /** The keys behind the selected rows. */
  keys: readonly SelectedKey[]
  /** Whether no bundle delivers them. */
  areUnused?: boolean
  /** What else can be done with the rows. */
  children?: ReactNode
}

/** Once rows of a list are selected: counts them and offers what can be done with them, at the bottom of the view. */
export function SelectedKeys(props: SelectedKeysProps) {
  const { selection, shown, keys, areUnused = false, children } = props
  const { chosen, tickAll, clear } = selection
  const id = useId()
  const isActive = chosen.size > 0
  const state = stateOf(chosen, shown)
  return (
    <section
      aria-label="Selection"
      data-active={isActive || undefined}
      data-bar={isActive || undefined}
      className={classNames(
        isActive
          ? 'fixed inset-x-4 bottom-16 z-20 mx-auto flex max-w-wide flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-accent-soft pr-2 shadow-floating sm:bottom-4'
          : 'sr-only',
      )}
    >
      {isActive && (
        <label htmlFor={id} className="flex min-h-11 items-center gap-3 pl-3 text-sm">
          <input
            ref={(input) => {
              if (input !== null) input.indeterminate = state === 'some'
            }}
            id={id}
            type="checkbox"
            className="checkbox"
            checked={state === 'all'}
            onChange={tickAll}
          />
          <span className="sr-only">Select all shown</span>
        </label>
      )}
      <p role="status" className={isActive ? 'mr-auto text-sm font-medium' : 'sr-only'}>
        {isActive ? countText(chosen, shown) : ''}
      </p>
      {isActive && (
        <div className="flex flex-wrap items-center gap-1.5 py-1.5 pl-3 sm:pl-0">
          {children}
          {keys.length > 0 && <KeyActions keys={keys} areUnused={areUnused} onDone={clear} />}
          <Button label="Clear" size="small" look="quiet" onClick={clear} />
        </div>
      )}
    </section>
  )
}

function countText(chosen: ReadonlySet<string>, shown: readonly string[]): string {
  const visible = shown.filter((id) => chosen.has(id)).length
  const rows = `${counted(chosen.size, 'variable')} selected`
  const most = chosen.size >= LIMITS.batchKeys ? ', the most at once' : ''
  const hidden = visible < chosen.size ? `, ${chosen.size - visible} not shown` : ''
  return rows + most + hidden
}
