import { useLayoutEffect, useRef, useState } from 'react'

const SETTLE_MS = 1_000
const PRESSES = new Set(['Enter', ' '])

/** Where a press on a decision button counts from, on the clock of `Event.timeStamp`; null: it does not count yet. */
type ActiveSince = number | null

/** Whether Approve and Deny are active. `counts` tells it of one press: the browser can deliver a press late that was
 * made before the buttons became active. */
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

/** Watch whether a person is looking at this page and means to use it: a click that began on another page can end here,
 * and must not decide anything. Presses count once the page has been visible and focused for one second and has seen a
 * pointer movement, a touch or a key press. A press before that restarts the second; leaving the page resets
 * everything.
 * @param tell called with every change
 * @returns what ends the watch */
function watchArming(tell: (since: ActiveSince) => void): () => void {
  const end = new AbortController()
  const arming = new Arming(tell)
  const on = (target: EventTarget, types: readonly string[], listener: (event: Event) => void) => {
    for (const type of types)
      target.addEventListener(type, listener, { signal: end.signal, capture: true, passive: true })
  }
  on(window, ['focus', 'blur', 'pageshow'], (event) => event.target === window && arming.startOver())
  on(document, ['visibilitychange'], () => arming.startOver())
  on(window, ['pointermove'], (event) => event instanceof PointerEvent && arming.move(event))
  on(window, ['pointerdown'], (event) => event instanceof PointerEvent && arming.press(event.pointerType))
  on(window, ['keydown'], (event) => event instanceof KeyboardEvent && arming.key(event))
  arming.startOver()
  return () => {
    end.abort()
    arming.stop()
  }
}

class Arming {
  readonly #tell: (since: ActiveSince) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #settled = false
  #used = false
  #place: string | null = null
  #active = false

  constructor(tell: (since: ActiveSince) => void) {
    this.#tell = tell
  }

  startOver(): void {
    this.#used = false
    this.#place = null
    this.#settle()
  }

  // A browser also reports a movement when a page appears under a pointer that rests.
  move({ screenX, screenY }: PointerEvent): void {
    const place = `${screenX} ${screenY}`
    if (this.#place !== null && this.#place !== place) this.#use()
    this.#place = place
  }

  press(pointerType: string): void {
    if (this.#active) return
    this.#settle()
    if (pointerType !== 'mouse') this.#use()
  }

  key({ key, repeat }: KeyboardEvent): void {
    if (this.#active) return
    if (PRESSES.has(key)) this.#settle()
    if (!repeat) this.#use()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #use(): void {
    if (this.#used) return
    this.#used = true
    this.#update()
  }

  #settle(): void {
    clearTimeout(this.#timer)
    this.#settled = false
    this.#update()
    if (document.visibilityState !== 'visible' || !document.hasFocus()) return
    this.#timer = setTimeout(() => {
      this.#settled = true
      this.#update()
    }, SETTLE_MS)
  }

  #update(): void {
    const active = this.#settled && this.#used
    if (active === this.#active) return
    this.#active = active
    this.#tell(active ? performance.now() : null)
  }
}
