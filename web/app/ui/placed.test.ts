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

/** Where a card of 90 × 30 pixels is put that stands at 60 to 90 of a box of 100, beside these controls.
 * @returns the side and the way up, each time that the card comes */
function placesBeside(controls: readonly Control[]) {
  for (const [index] of controls.entries()) {
    const button = document.body.appendChild(document.createElement('button'))
    button.id = String(index)
  }
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    const control = controls[Number(this.id)]
    if (this.id !== '' && control) return rect(...control)
    if (this.getAttribute('role') === 'status') return rect(0, 300, 0, 100)
    const side = Object.keys(LEFTS).find((name) => this.parentElement?.classList.contains(name))
    const left = LEFTS[side ?? ''] ?? 0
    const up = Number(/-(\d+)px/.exec(this.parentElement?.style.translate ?? '')?.[1] ?? 0)
    return rect(left, left + 90, 60 - up, 90 - up)
  })
  let toggle = (_isShown: boolean) => {}
  const Card = () => {
    const [isShown, setShown] = useState(true)
    toggle = setShown
    const props = { isShown, children: createElement('p') }
    return createElement(Placed, props)
  }
  const end = show(createElement(Card))
  const place = () => {
    const box = document.querySelector<HTMLElement>('[role="status"]')
    return [...Object.keys(LEFTS).filter((name) => box?.classList.contains(name)), box?.style.translate]
  }
  const first = place()
  act(() => toggle(false))
  act(() => toggle(true))
  const places = [first, place()]
  end()
  return places
}

const FULL: Control = [0, 300, 60, 90]

test.each<[string, Control[], string, string]>([
  ['nothing', [], 'items-end', '0 0px'],
  ['a control in the middle', [[100, 190, 60, 90]], 'items-end', '0 0px'],
  ['one at the end', [[200, 290, 60, 90]], 'items-center', '0 0px'],
  ['one that is beside it by a hair', [[290, 300, 60, 90]], 'items-end', '0 0px'],
  ['one that begins where it ends', [[200, 290, 90, 100]], 'items-end', '0 0px'],
  ['one that ends where it begins', [[200, 290, 30, 60]], 'items-end', '0 0px'],
  ['one at the start', [[0, 90, 60, 90]], 'items-end', '0 0px'],
  ['all but the start', [[100, 290, 60, 90]], 'items-start', '0 0px'],
  ['a control over the whole width', [FULL], 'items-end', '0 -32px'],
  [
    'two, of which one is everywhere',
    [
      [0, 300, 0, 100],
      [200, 290, 60, 90],
    ],
    'items-center',
    '0 0px',
  ],
])('a card beside %s', (_, controls, side, translate) => {
  const place = [side, translate]
  expect(placesBeside(controls)).toEqual([place, place])
})
