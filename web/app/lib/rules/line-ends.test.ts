import { assert, constantFrom, property, string } from 'fast-check'
import { expect, test } from 'vitest'
import { asShown, withLineEnds } from './line-ends.ts'

test.each([
  ['an edit of another character', 'a\r\nb\rc\n', 'aX\nb\nc\n', 'aX\r\nb\rc\n'],
  ['an edit of the first character', 'a\r\nb', 'X\nb', 'X\r\nb'],
  ['an edit of the last character', 'a\r\nb', 'a\nX', 'a\r\nX'],
  ['an edit at the end', 'a\r\nb', 'a\nbX', 'a\r\nbX'],
  ['a line that goes', 'a\r\nb\r\nc', 'a\nc', 'a\r\nc'],
  ['a new line in a text of CRLF', 'a\r\nb', 'a\nX\nb', 'a\r\nX\r\nb'],
  ['a new line in a text of lone CR', 'a\rb', 'a\nb\nX', 'a\rb\rX'],
  ['a new text', 'a\r\nb', 'x', 'x'],
  ['a field that was emptied', 'a\r\nb', '', ''],
  ['a text without CR', 'a\nb', 'a\n\nb', 'a\n\nb'],
])('%s keeps the line ends around it', (_, value, typed, expected) => {
  expect(withLineEnds(value, typed)).toBe(expected)
})

const text = string({ unit: constantFrom('a', 'b', '\r', '\n', '😀') })

test('an edit shows as it was typed, and no edit changes nothing', () => {
  assert(
    property(text, text, (value, other) => {
      const typed = asShown(other)
      expect(asShown(withLineEnds(value, typed))).toBe(typed)
      expect(withLineEnds(value, asShown(value))).toBe(value)
    }),
  )
})

test('what is around the edit stays, character by character', () => {
  assert(
    property(text, text, text, (before, middle, after) => {
      const value = `${before}|${middle}|${after}`
      const edited = withLineEnds(value, asShown(`${before}|X|${after}`))
      expect(edited).toBe(`${before}|X|${after}`)
    }),
  )
})
