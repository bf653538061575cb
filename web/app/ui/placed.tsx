import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'

const SIDES = ['items-end', 'items-center', 'items-start']
const STEP_PX = 8
const NOWHERE = { side: 'items-end', up: 0, count: 0 }
const CONTROLS = 'a[href], button, input, select, textarea, summary'

type PlacedProps = { label?: string; isShown: boolean; children: ReactNode }

/** What comes without being asked for: over the page, so that it moves nothing, near the bottom, but where it covers no
 * control, or the fewest. It stays there until it is empty. */
export function Placed({ label, isShown, children }: PlacedProps) {
  const box = useRef<HTMLDivElement>(null)
  const [place, setPlace] = useState(NOWHERE)
  useLayoutEffect(() => {
    if (isShown && box.current !== null) setPlace(freePlace(box.current))
  }, [isShown])
  return (
    <div
      ref={box}
      role="status"
      aria-label={label}
      className={`pointer-events-none fixed inset-x-0 bottom-12 z-40 flex flex-col-reverse gap-2 p-4 *:pointer-events-auto sm:bottom-0 sm:p-6 print:hidden ${place.side}`}
      style={{ translate: `0 ${-place.up}px` }}
    >
      {children}
    </div>
  )
}

/** A line of news, with what to do about it. */
export function News({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Placed isShown>
      <div className="flex w-full max-w-read flex-wrap items-center gap-2 rounded-md bg-raised py-2 pr-2 pl-4 text-sm shadow-floating">
        <p className="flex-1 basis-52">{text}</p>
        {children}
      </div>
    </Placed>
  )
}

function freePlace(box: HTMLElement) {
  const others = [...document.querySelectorAll(CONTROLS)].filter((each) => !box.contains(each))
  const taken = others.map((each) => each.getBoundingClientRect())
  const { className, style } = box
  const { translate } = style
  style.translate = ''
  const places = SIDES.flatMap((side) => {
    box.classList.remove(...SIDES)
    box.classList.add(side)
    const cards = [...box.children].map((card) => card.getBoundingClientRect())
    const room = Math.max(0, Math.min(innerHeight, ...cards.map(({ top }) => top)))
    return Array.from({ length: Math.floor(room / STEP_PX) + 1 }, (_, step) => {
      const up = step * STEP_PX
      return { side, up, count: taken.filter((at) => cards.some((card) => isOver(card, up, at))).length }
    })
  })
  // React does not write a prop again that did not change.
  box.className = className
  style.translate = translate
  return places.toSorted((a, b) => a.count - b.count || a.up - b.up)[0] ?? NOWHERE
}

const isOver = ({ left, right, top, bottom }: DOMRect, up: number, at: DOMRect) =>
  left < at.right && at.left < right && top - up < at.bottom && at.top < bottom - up
