import { beforeEach, expect, test } from 'vitest'
import { currentToasts, dismiss, notify } from './toast-store.ts'

const shown = () => currentToasts().map(({ text, isGone }) => (isGone ? '' : text))

function say(...texts: readonly string[]) {
  for (const text of texts) notify({ text })
}

function take(...texts: readonly string[]) {
  for (const { id, text } of currentToasts()) if (texts.includes(text)) dismiss(id)
}

// Tests of other files can have left messages.
beforeEach(() => take(...shown()))

test('a fourth message takes the place of the oldest', () => {
  say('a', 'b', 'c', 'd')
  expect(shown()).toEqual(['d', 'b', 'c'])
  say('e')
  expect(shown()).toEqual(['d', 'e', 'c'])
})

test('a message that goes keeps its place for the next one, and no place is kept at the end', () => {
  say('a', 'b', 'c')
  take('a', 'c')
  expect(shown()).toEqual(['', 'b'])
  say('d', 'e')
  expect(shown()).toEqual(['d', 'b', 'e'])
})
