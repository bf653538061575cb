import { expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import { announce, eventOutput, isAtTerminal, isYes, NO_KEYBOARD } from './announce.ts'

test.each([
  ['json', 'text', '{"event":"changed","names":["A"]}\n'],
  ['person', 'text', 'keyferry: text\n'],
  ['quiet', 'text', 'keyferry: text\n'],
  ['person', null, ''],
] as const)(
  'the view %s prints an event with the text %j as one line, if it has one',
  (view, text, written) => {
    const parts = stage({}, '/')
    announce({ ...parts, view }, { event: 'changed', names: ['A'] }, text)
    expect(parts.seen.stderr).toBe(written)
  },
)

test('a program receives only the JSON events of stderr', () => {
  const events: object[] = []
  const output = eventOutput((event) => void events.push(event))
  output.write('{"event":"a"}\n{"event":"b"}\nkeyferry: no JSON\n[1]\n')
  expect(events).toEqual([{ event: 'a' }, { event: 'b' }])
  expect([output.isTerminal, output.columns(), output.rows()]).toEqual([false, 80, 24])
})

test('without a keyboard, every question has no answer', async () => {
  const { isThere, ask, askHidden, askUntil } = NO_KEYBOARD
  expect([isThere(), ask('?'), await askHidden('?')]).toEqual([false, null, null])
  expect(await askUntil('?', new AbortController().signal)).toBeNull()
})

test('the client asks only if both stderr and the keyboard are a terminal', () => {
  const { stderr, keyboard } = stage({}, '/')
  const at = (isTerminal: boolean, isThere: boolean) =>
    isAtTerminal({ stderr: { ...stderr, isTerminal }, keyboard: { ...keyboard, isThere: () => isThere } })
  expect([at(true, true), at(true, false), at(false, true)]).toEqual([true, false, false])
})

test.each([
  ['y', true],
  ['YES', true],
  [' yes ', true],
  ['', false],
  [null, false],
  ['yep', false],
  ['oy', false],
  ['n', false],
])('the answer %j means yes: %s', (answer, said) => {
  expect(isYes({ ...NO_KEYBOARD, ask: () => answer }, '?')).toBe(said)
})
