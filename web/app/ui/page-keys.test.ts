// @vitest-environment happy-dom
import { act, createElement, type KeyboardEvent as Press, useState } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { show } from '../test/shown.ts'
import { useMatrixFocus } from './matrix-focus.ts'
import { SearchField } from './search-field.tsx'
import { currentToasts, dismiss, notify } from './toast-store.ts'
import { Toasts } from './toasts.tsx'
import { useActiveOption } from './use-active-option.ts'

let shown: (() => void)[] = []

afterEach(() => {
  for (const end of shown) end()
  shown = []
  for (const { id } of currentToasts()) dismiss(id)
  document.body.replaceChildren()
})

type Key = KeyboardEventInit & { in?: 'input' | 'textarea' }

/** Press a key where the focus is, or in a field. @returns whether the page took it */
function press({ in: field, ...key }: Key): boolean {
  const target = field ? document.body.appendChild(document.createElement(field)) : document.activeElement
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...key })
  act(() => void target?.dispatchEvent(event))
  return event.defaultPrevented
}

const OTHERS: readonly [string, Key][] = [
  ['with Ctrl', { ctrlKey: true }],
  ['with Meta', { metaKey: true }],
  ['with Alt', { altKey: true }],
  ['in a field', { in: 'input' }],
  ['in a field of several lines', { in: 'textarea' }],
  ['another key', { key: 'a' }],
]

const field = () =>
  show(createElement(SearchField, { label: 'Filter', value: 'old', onChange: () => undefined }))

test('the key / is for the search, while it is on the page', () => {
  const end = field()
  expect(press({ key: '/' })).toBe(true)
  const input = document.querySelector('input')
  expect([input?.selectionStart, input?.selectionEnd]).toEqual([0, 3])
  end()
  expect(press({ key: '/' })).toBe(false)
})

test.each(OTHERS)('the key / is not for the search: %s', (_, change) => {
  shown.push(field())
  expect(press({ key: '/', ...change })).toBe(false)
})

const undoes = (change: Key = {}) => {
  const undone: string[] = []
  const end = show(createElement(Toasts))
  const add = (text: string) => act(() => notify({ text, undo: () => void undone.push(text) }))
  add('older')
  add('newer')
  act(() => notify({ text: 'without Undo' }))
  for (let presses = 0; presses < 3; presses++) press({ key: 'z', ...change })
  end()
  add('after the end')
  press({ key: 'z' })
  return undone
}

test('the key z takes back the newest, then the one before', () => {
  expect(undoes()).toEqual(['newer', 'older'])
})

test.each(OTHERS)('the key z takes nothing back: %s', (_, change) => {
  expect(undoes(change)).toEqual([])
})

const remark = (text: string) => [...document.querySelectorAll('span')].find((it) => it.textContent === text)
const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms))
const happens = (type: string) =>
  act(() => void remark('stored')?.dispatchEvent(new MouseEvent(type, { bubbles: true })))
const isThere = () => currentToasts().some(({ text, isGone }) => text === 'stored' && !isGone)

test.each([
  ['pointed at', 'mouseover', 'mouseout'],
  ['focused', 'focusin', 'focusout'],
])('a message that is %s stays until eight seconds after that ends; a failure stays', (_, begins, ends) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  shown.push(show(createElement(Toasts)))
  act(() => notify({ text: 'stored' }))
  act(() => notify({ text: 'refused', tone: 'problem' }))
  wait(7_999)
  happens(begins)
  wait(60_000)
  expect(isThere()).toBe(true)
  happens(ends)
  wait(7_999)
  expect(isThere()).toBe(true)
  wait(1)
  expect(isThere()).toBe(false)
  expect(currentToasts().find(({ text }) => text === 'refused')).not.toHaveProperty('isGone')
})

test.each<[string, number, boolean, number, number | null]>([
  ['ArrowDown', 0, true, 1, null],
  ['ArrowDown', 2, true, 0, null],
  ['ArrowUp', 0, true, 2, null],
  ['Enter', 2, true, 2, 2],
  ['a', 1, false, 1, null],
])('in a list of three, %s at %i: taken %s, then at %i, picked %s', (key, at, isTaken, after, picked) => {
  const pick = vi.fn()
  const taken: boolean[] = []
  const List = () => {
    const { active, setActive, onKeyDown } = useActiveOption(3, pick)
    const take = (event: Press) => void taken.push(onKeyDown(event))
    return createElement('button', { type: 'button', onKeyDown: take, onClick: () => setActive(at) }, active)
  }
  shown.push(show(createElement(List)))
  const list = document.querySelector('button')
  act(() => list?.click())
  list?.focus()
  expect([press({ key }), taken]).toEqual([isTaken, [isTaken]])
  expect([list?.textContent, pick.mock.calls]).toEqual([`${after}`, picked === null ? [] : [[picked]]])
})

const ROWS = [['0 0', '0 1', '0 2'], ['1 0', '1 1', '1 2'], ['2 0']]

/** A matrix of three rows, the last of which is one cell wide, and a button after which only the second is drawn. */
function Matrix() {
  const [drawn, setDrawn] = useState([0, 1, 2])
  const { table, cell } = useMatrixFocus(drawn)
  const cells = drawn.flatMap((row) => (ROWS[row] ?? []).map((_, column) => cell(row, column)))
  const buttons = cells.map((props) =>
    createElement('button', { type: 'button', key: props['data-cell'], ...props }),
  )
  const scrolled = createElement('button', {
    type: 'button',
    key: 'away',
    id: 'away',
    onClick: () => setDrawn([1]),
  })
  return createElement('div', table, ...buttons, scrolled)
}

const cellAt = (place: string) =>
  document.querySelector<HTMLElement>(`[data-cell="${place}"], [id="${place}"]`)
const focused = () => document.activeElement?.getAttribute('data-cell') ?? document.activeElement?.id

test.each<[string, string, string | null]>([
  ['0 1', 'ArrowDown', '1 1'],
  ['1 2', 'ArrowDown', '2 0'],
  ['2 0', 'ArrowDown', null],
  ['1 1', 'ArrowUp', '0 1'],
  ['0 1', 'ArrowUp', null],
  ['0 1', 'ArrowRight', '0 2'],
  ['0 2', 'ArrowRight', null],
  ['0 1', 'ArrowLeft', '0 0'],
  ['0 0', 'ArrowLeft', null],
  ['1 1', 'Home', '1 0'],
  ['1 1', 'End', '1 2'],
  ['1 1', 'x', null],
  ['away', 'ArrowDown', null],
])('in a matrix, from %s with %s to %s', (from, key, to) => {
  shown.push(show(createElement(Matrix)))
  act(() => cellAt(from)?.focus())
  expect([press({ key }), focused()]).toEqual([to !== null, to ?? from])
})

test.each(['ctrlKey', 'metaKey', 'altKey'])(
  'in a matrix, an arrow with %s is for the browser',
  (modifier) => {
    shown.push(show(createElement(Matrix)))
    act(() => cellAt('0 1')?.focus())
    expect([press({ key: 'ArrowDown', [modifier]: true }), focused()]).toEqual([false, '0 1'])
  },
)

const stops = () => [...document.querySelectorAll('[tabindex="0"]')].map((it) => it.getAttribute('data-cell'))

test('the tab stop is where the focus was; without its row, it is the first cell that is drawn', () => {
  shown.push(show(createElement(Matrix)))
  expect(stops()).toEqual(['0 0'])
  act(() => cellAt('1 1')?.focus())
  expect(stops()).toEqual(['1 1'])
  act(() => cellAt('away')?.focus())
  expect(stops()).toEqual(['1 1'])
  act(() => cellAt('2 0')?.focus())
  expect(stops()).toEqual(['2 0'])
  act(() => cellAt('away')?.click())
  expect(stops()).toEqual(['1 0'])
})
