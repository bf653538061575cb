import { expect, test } from 'vitest'
import { shownArgument } from './shown-argument.ts'

test.each([
  ['--port=3000', '--port=3000'],
  ['a b', "'a b'"],
  ["it's", String.raw`'it'\''s'`],
  ['', "''"],
  ['one\ntwo\t', String.raw`'one\ntwo\t'`],
  ['\u001b[2K', String.raw`'\u{1b}[2K'`],
  ['a\u202eb', String.raw`'a\u{202e}b'`],
  ['a\u3000b', String.raw`'a\u{3000}b'`],
  [`a${'\u0301'.repeat(6)}`, `'a${'\u0301'.repeat(4)}${String.raw`\u{301}`.repeat(2)}'`],
  ['x'.repeat(8_000), 'x'.repeat(8_000)],
])('%j is shown as %s', (argument, shown) => {
  expect(shownArgument(argument)).toBe(shown)
})
