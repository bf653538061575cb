import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

const short = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ same: ' ', gone: '-', new: '+' }[kind]}${text}`)

test.each([
  ['a', 'a', [' a']],
  ['a', 'b', ['-a', '+b']],
  ['', 'a', ['-', '+a']],
  ['a\nb\nc', 'a\nc', [' a', '-b', ' c']],
  ['a\nc', 'a\nb\nc', [' a', '+b', ' c']],
  ['a\nb\nc\nd', 'a\nx\nc\ny', [' a', '-b', '+x', ' c', '-d', '+y']],
  ['a\na', 'a', [' a', '-a']],
  ['a\nb\nc', 'b\nc\na', ['-a', ' b', ' c', '+a']],
])('from %j to %j', (before, after, lines) => {
  expect(short(before, after)).toEqual(lines)
})

test('the old and the new text can be read from a comparison', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after)
      const without = (kind: string) =>
        lines
          .filter((line) => line.kind !== kind)
          .map((line) => line.text)
          .join('\n')
      expect(without('new')).toBe(before)
      expect(without('gone')).toBe(after)
    }),
  )
})

test('long texts that share nothing are compared at once', () => {
  const lines = lineDiff(marked('a'), marked('b'))
  expect(lines).toHaveLength(60_000)
  expect([lines[0], lines.at(-1)]).toEqual([
    { kind: 'gone', text: 'a0' },
    { kind: 'new', text: 'b29999' },
  ])
})

function marked(mark: string): string {
  return Array.from({ length: 30_000 }, (_, index) => `${mark}${index}`).join('\n')
}
