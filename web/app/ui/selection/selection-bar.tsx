import { LIMITS } from '@keyferry/contract/limits'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { stateOf } from '../../lib/page/selection.ts'
import { counted } from '../../lib/words/counted.ts'
import { Button } from '../button.tsx'
import { classNames } from '../class-names.ts'

type SelectionBarProps = {
  chosen: ReadonlySet<string>
  shown: readonly string[]
  onTickAll: () => void
  onClear: () => void
  /** What can be done with the selected keys. */
  children: ReactNode
}

/** Above a list: ticks all shown rows, counts the selected ones and offers what can be done with them. It stays in
 * view. */
export function SelectionBar({ chosen, shown, onTickAll, onClear, children }: SelectionBarProps) {
  const id = useId()
  const isActive = chosen.size > 0
  return (
    <section
      aria-label="Selection"
      className={classNames(
        'sticky top-0 z-10 mb-2 flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border pr-2',
        isActive ? 'border-line bg-accent-soft' : 'border-transparent bg-canvas',
      )}
    >
      <label htmlFor={id} className="flex min-h-11 items-center text-sm">
        <span className="flex w-10 justify-center">
          <TickAll id={id} state={stateOf(chosen, shown)} onTickAll={onTickAll} />
        </span>
        <span className={isActive ? 'sr-only' : 'text-ink-soft'}>Select all shown</span>
      </label>
      <p role="status" className={isActive ? 'mr-auto text-sm font-medium' : 'sr-only'}>
        {isActive ? countText(chosen, shown) : ''}
      </p>
      {isActive && (
        <div className="flex flex-wrap items-center gap-1.5 py-1.5 pl-3 sm:pl-0">
          {children}
          <Button label="Clear" size="small" look="quiet" onClick={onClear} />
        </div>
      )}
    </section>
  )
}

type TickAllProps = { id: string; state: 'none' | 'some' | 'all'; onTickAll: () => void }

function TickAll({ id, state, onTickAll }: TickAllProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current !== null) input.current.indeterminate = state === 'some'
  }, [state])
  return (
    <input
      ref={input}
      id={id}
      type="checkbox"
      className="checkbox"
      checked={state === 'all'}
      onChange={onTickAll}
    />
  )
}

function countText(chosen: ReadonlySet<string>, shown: readonly string[]): string {
  const visible = shown.filter((id) => chosen.has(id)).length
  const keys = `${counted(chosen.size, 'key')} selected`
  const most = chosen.size >= LIMITS.batchKeys ? ', the most at once' : ''
  const hidden = visible < chosen.size ? `, ${chosen.size - visible} not shown` : ''
  return keys + most + hidden
}
