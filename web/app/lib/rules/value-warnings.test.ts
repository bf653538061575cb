import { expect, test } from 'vitest'
import { valueProblem, valueWarnings } from './value-warnings.ts'

const PEM = '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----'

test.each([
  ['x\n', 'It ends with a line break.'],
  ['x ', 'It ends with blanks.'],
  [' x', 'It begins with blanks.'],
  ['*****', 'It is the mask of a hidden value, not a value.'],
  [PEM.slice(0, 40), 'It looks like a PEM block that is cut off.'],
  [PEM.slice(30), 'It looks like a PEM block that is cut off.'],
  ['a\u200bb', 'It contains a zero-width character (U+200B).'],
  ['a\u202eb\u2066c\u202e', 'It contains a mark that changes the direction of text (U+202E, U+2066).'],
  ['say \u201chi\u201d', 'It contains a curly quote (U+201C, U+201D).'],
  ['"x"', 'The quotes around it become part of it.'],
])('%j is warned of', (value, warning) => {
  expect(valueWarnings(value)).toEqual([warning])
})

test.each(['', 'x', 'a b', 'line\nline', PEM, `${PEM}\n${PEM}`, '"'])('%j is fine', (value) => {
  expect(valueWarnings(value)).toEqual([])
})

test('what no environment variable can contain is a problem', () => {
  expect(valueProblem('a\0b')).toContain('NUL')
  expect(valueProblem('\ud800')).toContain('Unicode')
  expect(valueProblem('é'.repeat(32_769))).toContain('65536 bytes')
  expect(valueProblem('é'.repeat(32_768))).toBeNull()
})
