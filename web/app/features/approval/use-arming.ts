import { useLayoutEffect, useRef, useState } from 'react'
import { type ActiveSince, watchArming } from './arming.ts'

/** Whether Approve and Deny are active. `counts` tells it of one press: the browser can deliver a press late that was made
 * before the buttons became active. */
export function useArming(): { active: boolean; counts: (press: { timeStamp: number }) => boolean } {
  const since = useRef<ActiveSince>(null)
  const [active, setActive] = useState(false)
  // Before the page is painted: a movement over what a person sees is never missed.
  useLayoutEffect(
    () =>
      watchArming((next) => {
        since.current = next
        setActive(next !== null)
      }),
    [],
  )
  return { active, counts: ({ timeStamp }) => since.current !== null && timeStamp >= since.current }
}
