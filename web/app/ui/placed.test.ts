// @vitest-environment happy-dom
import { act, createElement, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { show } from '../test/shown.ts'
import { Placed } from './placed.tsx'

afterEach(() => {
  vi.restoreAllMocks()
  document.body.replaceChildren()
})

const LEFTS: Readonly<Record<string, number>> = { 'items-start': 0, 'items-center': 100, 'items-end': 200 }

type Control = readonly [left: number, right: number, top: number, bottom: number]

const rect = (left: number, right: number, top: number, bottom: number) =>
  new DOMRect(left, top, right - left, bottom - top)

/** Show a card of 90 × 30 pixels, 60 pixels from the top of a box of 100, beside these controls.
 * @returns its side and its translation, when it first comes and when it comes again */
function placesBeside(controls: readonly Control[]) {
  for (const [index] of controls.entries()) {
    const button = document.body.appendChild(document.createElement('button'))
    button.id = String(index)
  }
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const control = controls[Number(this.id)]
    if (this.id !== '' && control) return rect(...control)
    const box = this.getAttribute('role') === 'status' ? this : this.parentElement
    const up = Number(/-(\d+)px/.exec((box as HTMLElement | null)?.style.translate ?? '')?.[1] ?? 0)
    if (box === this) return rect(0, 300, 0 - up, 100 - up)
    const side = Object.keys(LEFTS).find((name) => box?.classList.contains(name))
    const left = LEFTS[side ?? ''] ?? 0
    return rect(left, left + 90, 60 - up, 90 - up)
  })
  const end = show(createElement(Card))
  const places = [placeNow()]
  for (const _ of ['goes', 'comes again']) act(() => document.querySelector('hr')?.click())
  places.push(placeNow())
  end()
  return places
}

// A press of its line takes it away, or shows it.
function Card() {
  const [isShown, setShown] = useState(true)
  const line = createElement('hr', { onClick: () => setShown(!isShown) })
  const props = { isShown, children: createElement('p') }
  return createElement('div', {}, line, createElement(Placed, props))
}

function placeNow() {
  const box = document.querySelector<HTMLElement>('[role="status"]')
  return [...Object.keys(LEFTS).filter((name) => box?.classList.contains(name)), box?.style.translate]
}

const FULL: Control = [0, 300, 60, 90]

test.each<[string, string, string, Control[]]>([
  ['nothing', 'items-end', '0 0px', []],
  ['a control in the middle', 'items-end', '0 0px', [[100, 190, 60, 90]]],
  ['one at the end', 'items-center', '0 0px', [[200, 290, 60, 90]]],
  ['one that begins at its right', 'items-end', '0 0px', [[290, 300, 60, 90]]],
  ['one that begins where it ends', 'items-end', '0 0px', [[200, 290, 90, 100]]],
  ['one that ends where it begins', 'items-end', '0 0px', [[200, 290, 30, 60]]],
  ['one at the start', 'items-end', '0 0px', [[0, 90, 60, 90]]],
  ['all but the start', 'items-start', '0 0px', [[100, 290, 60, 90]]],
  ['a control over the whole width', 'items-end', '0 -32px', [FULL]],
  ['controls up to its last place', 'items-end', '0 -56px', [[0, 300, 34, 90]]],
  ['controls that leave no place', 'items-end', '0 0px', [[0, 300, 0, 90]]],
  [
    'two at the end, of which one is everywhere',
    'items-center',
    '0 0px',
    [
      [0, 300, 0, 100],
      [200, 290, 60, 90],
    ],
  ],
])('beside %s, a card goes to %s and %s, and again when it comes back', (_, side, translate, controls) => {
  const place = [side, translate]
  expect(placesBeside(controls)).toEqual([place, place])
})

test('nothing to show is no error', () => {
  const props = { isShown: true, children: null }
  show(createElement(Placed, props))()
  expect(document.body.textContent).toBe('')
})
