import { expect, test } from 'vitest'
import { hanging, plainPunctuation, printable, shownArgument, wrap } from './printable.ts'

test.each([
  ['an escape sequence', '\u001b[31mred', '�[31mred'],
  ['a bell, a line end and a tab', 'a\u0007b\nc\td', 'a�b�c�d'],
  ['a change of the writing direction', 'a\u202eb', 'a�b'],
  ['a character without width', 'a\u200bb', 'a�b'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a�b�c'],
  ['a lone surrogate', 'a\ud83d', 'a�'],
  ['private and undefined characters', '\ue000\u0378', '��'],
])('%s cannot change a terminal', (_, text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('letters of all languages are printed', () => expect(printable('grüße 🚢 日本')).toBe('grüße 🚢 日本'))

test.each(['a', '🚢'])('a text is cut after its limit, counted in characters: %s', (letter) => {
  expect(printable(letter.repeat(5), 5)).toBe(letter.repeat(5))
  expect(printable(letter.repeat(6), 5)).toBe(`${letter.repeat(4)}…`)
  expect(printable(letter.repeat(300))).toBe(letter.repeat(300))
  expect(printable(letter.repeat(301))).toBe(`${letter.repeat(299)}…`)
})

test('punctuation has a form in ASCII', () =>
  expect(plainPunctuation('a… · b → c…')).toBe('a... - b -> c...'))

test('a line breaks at its last space that fits', () => {
  const words = 'aaaa bbbb cccc dddd eeee'
  expect(wrap(words, 24)).toEqual([words])
  expect(wrap(words, 23)).toEqual(['aaaa bbbb cccc dddd', 'eeee'])
  expect(wrap(`x ${'y'.repeat(30)} z`, 20)).toEqual(['x', 'y'.repeat(30), 'z'])
})

test('text is wrapped at 20 to 100 columns', () => {
  const text = Array.from({ length: 60 }, () => 'a').join(' ')
  expect(wrap(text, 1)[0]).toHaveLength(19)
  expect(wrap(text, 500)[0]).toHaveLength(99)
  expect(wrap(`${'a'.repeat(10)} ${'b'.repeat(9)} c`, 1)[0]).toHaveLength(20)
  expect(wrap(`${'a'.repeat(50)} ${'b'.repeat(49)} c`, 500)[0]).toHaveLength(100)
})

test('further lines are indented by the width of the label', () =>
  expect(hanging('note: ', 'aaaa bbbb cccc dddd eeee', 29)).toEqual([
    'note: aaaa bbbb cccc dddd',
    '      eeee',
  ]))

test.each([
  ['--keys=A,B', '--keys=A,B'],
  ['./a_b-c.d/%@+:', './a_b-c.d/%@+:'],
  ['', "''"],
  ['a b', "'a b'"],
  ["it's", "'it'\\''s'"],
  ['$HOME', "'$HOME'"],
])('the argument %j is shown as you would type it in a shell', (argument, shown) => {
  expect(shownArgument(argument)).toBe(shown)
})
