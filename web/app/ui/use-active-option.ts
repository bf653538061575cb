import { type KeyboardEvent, useState } from 'react'
import { isComposing } from '../lib/page/composing.ts'

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Which option of a list is active, moved by the arrow keys of the field that owns the list; Enter picks it.
 * `onKeyDown` tells whether it took the key. */
export function useActiveOption(count: number, onPick: (index: number) => void) {
  const [active, setActive] = useState(0)
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (isComposing(event)) return false
    const step = STEPS[event.key]
    if (step === undefined && event.key !== 'Enter') return false
    event.preventDefault()
    if (step === undefined) onPick(active)
    else setActive((active + step + count) % Math.max(1, count))
    return true
  }
  return { active, setActive, onKeyDown }
}
