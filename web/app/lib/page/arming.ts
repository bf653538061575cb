import { useEffect, useLayoutEffect, useRef, useState } from 'react'

const LOOKED_AT_MS = 1_000
const CALM_MS = 600
/** Scrolling moves the bar by parts of a pixel. */
const STILL_PX = 2
/** The keys that press a button, or that bring the focus to one. */
const PRESSES = new Set(['Enter', ' ', 'Tab'])

/** What the buttons show. `fill`: they become active after `ms`; null: no time is left, or no person can look at the
 * page. Each wait has its own `round`. */
type ArmingView = { active: boolean; fill: { round: number; ms: number } | null }

type Click = { nativeEvent: Event; currentTarget: EventTarget }

/** Whether Approve and Deny take a press, and when they will. `buttons`: the element around them. `counts`: whether a
 * click counts.
 * @param of what the buttons would do: when it changes, the second starts again */
export function useArming(of: string) {
  const buttons = useRef<HTMLDivElement>(null)
  const [arming] = useState(() => new Arming(() => buttons.current))
  const [shown, setShown] = useState<ArmingView>({ active: false, fill: null })
  // Before the page is painted: a movement over what a person sees is never missed.
  useLayoutEffect(() => arming.watch(setShown), [arming])
  useLayoutEffect(() => arming.lookAt(of), [arming, of])
  useEffect(() => arming.checkPlace())
  return { ...shown, buttons, counts: (click: Click) => arming.counts(click) }
}

/** Watches whether a person looks at this page and wants to use it: a click that began on another page can end here,
 * and must decide nothing. A press counts when the page was visible and focused for one second, with the same decision
 * in the same place, and 600 ms after the previous press, so that a series of clicks never decides. It must begin and
 * end on the same button. A mouse has to move first. */
class Arming {
  readonly #buttons: () => HTMLElement | null
  #notify: (shown: ArmingView) => void = () => undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #of = ''
  /** Since when a person can look at this decision, on the clock of `Event.timeStamp`; null: they cannot. */
  #since: number | null = null
  #place: readonly number[] = []
  #pressedAt = Number.NEGATIVE_INFINITY
  /** Where the last press began, in which look, and whether it counted then. */
  #press: { button: Element | null; since: number | null; counts: boolean } | null = null
  #pointer: string | null = null
  #moved = false
  /** A key or a finger is in use. */
  #touched = false
  #fill = { round: 0, ms: 0, until: 0 }

  constructor(buttons: () => HTMLElement | null) {
    this.#buttons = buttons
  }

  /** @returns what ends the watch */
  watch(notify: (shown: ArmingView) => void): () => void {
    this.#notify = notify
    const end = new AbortController()
    const on = (target: EventTarget, types: readonly string[], listener: (event: Event) => void) => {
      for (const type of types)
        target.addEventListener(type, listener, { signal: end.signal, capture: true, passive: true })
    }
    on(window, ['focus', 'blur', 'pageshow'], (event) => event.target === window && this.#startOver())
    on(document, ['visibilitychange', 'prerenderingchange'], () => this.#startOver())
    on(window, ['resize', 'scroll'], () => this.checkPlace())
    on(window, ['pointermove'], (event) => event instanceof PointerEvent && this.#move(event))
    on(window, ['pointerdown'], (event) => event instanceof PointerEvent && this.#pointerDown(event))
    on(window, ['keydown'], (event) => event instanceof KeyboardEvent && this.#keyDown(event))
    this.#startOver()
    return () => {
      end.abort()
      clearTimeout(this.#timer)
    }
  }

  /** With another decision the second starts again. */
  lookAt(of: string): void {
    if (of === this.#of) return
    this.#of = of
    this.#lookAgain()
  }

  #lookAgain(): void {
    const isPrerendered = 'prerendering' in document && document.prerendering === true
    const isSeen = document.visibilityState === 'visible' && document.hasFocus() && !isPrerendered
    this.#since = isSeen ? performance.now() : null
    this.#place = this.#placeNow()
    this.#update()
  }

  /** If the buttons moved, the second starts again: they are not where the person saw them. */
  checkPlace(): void {
    const now = this.#placeNow()
    if (now.some((edge, index) => Math.abs(edge - (this.#place[index] ?? 0)) > STILL_PX)) this.#lookAgain()
  }

  counts({ nativeEvent: click, currentTarget: button }: Click): boolean {
    const press = this.#press
    this.#press = null
    const byPress = press?.button === button && press.since === this.#since && press.counts
    // Assistive technology clicks without a press.
    const byItself = press?.button !== button && click instanceof MouseEvent && click.detail === 0
    const isReady = byItself ? this.#isReady(click.timeStamp) : byPress
    this.#update()
    return click.isTrusted && this.#since !== null && isReady
  }

  #startOver(): void {
    this.#moved = false
    this.#touched = false
    this.#pointer = null
    this.#press = null
    this.#lookAgain()
  }

  // A browser also reports a movement when a page appears under a pointer that rests.
  #move({ screenX, screenY }: PointerEvent): void {
    const place = `${screenX} ${screenY}`
    const isMoved = this.#pointer !== null && this.#pointer !== place
    this.#pointer = place
    if (!isMoved || this.#moved) return
    this.#moved = true
    this.#update()
  }

  #pointerDown(event: PointerEvent): void {
    const isMouse = event.pointerType === 'mouse'
    if (!isMouse) this.#touched = true
    this.#begin(event, !isMouse || this.#moved)
  }

  #keyDown(event: KeyboardEvent): void {
    if (!event.repeat) this.#touched = true
    if (PRESSES.has(event.key)) this.#begin(event, !event.repeat)
    else this.#update()
  }

  #begin({ target, timeStamp }: Event, mayCount: boolean): void {
    this.checkPlace()
    const counts = mayCount && this.#isReady(timeStamp)
    const button = target instanceof Element ? target.closest('button') : null
    this.#press = { button, since: this.#since, counts }
    this.#pressedAt = timeStamp
    // The click shows the pause after a press that counts.
    if (!counts || !this.#buttons()?.contains(button)) this.#update()
  }

  #readyAt(): number {
    if (this.#since === null) return Number.POSITIVE_INFINITY
    return Math.max(this.#since + LOOKED_AT_MS, this.#pressedAt + CALM_MS)
  }

  #isReady(time: number): boolean {
    return time >= this.#readyAt()
  }

  #placeNow(): readonly number[] {
    const box = this.#buttons()?.getBoundingClientRect()
    return box === undefined ? [] : [box.left, box.top, box.right, box.bottom]
  }

  #update(): void {
    clearTimeout(this.#timer)
    const until = this.#readyAt()
    const ms = until - performance.now()
    const isUsed = this.#moved || this.#touched || !matchMedia('(any-pointer: fine)').matches
    if (ms <= 0 || ms === Number.POSITIVE_INFINITY) {
      this.#notify({ active: ms <= 0 && isUsed, fill: null })
      return
    }
    this.#timer = setTimeout(() => this.#update(), ms)
    if (this.#fill.until !== until) this.#fill = { round: this.#fill.round + 1, ms, until }
    this.#notify({ active: false, fill: this.#fill })
  }
}
