import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMap } from '../../../e2e/hostile-maps.ts'
import { decodeText } from './decode-text.ts'
import { DIALECT_NAMES, type Dialect } from './dialects.ts'
import { writeEnv } from './formats/interface-text.ts'
import { FORMATS } from './formats.ts'
import { readImport } from './read-import.ts'

const problemsIn = (text: string, dialect: Dialect = 'dotenv') =>
  readImport(text, dialect).problems.map(({ line, problem }) => ({ line, problem }))

test('every bad line is named, and the lines between them are read', () => {
  const text = 'A=1\nnonsense\nB=2\nC-D=3\nE=5'
  expect(readImport(text, 'dotenv').entries).toEqual([
    { name: 'A', value: '1', line: 1 },
    { name: 'B', value: '2', line: 3 },
    { name: 'E', value: '5', line: 5 },
  ])
  expect(problemsIn(text).map(({ line }) => line)).toEqual([2, 4])
})

test('after a value of several lines that cannot be read, its second line is read too', () => {
  const lines = problemsIn("A='x\ny' z\nB C=1\n", 'shell').map(({ line }) => line)
  expect(lines).toEqual([2, 2, 3])
})

test('a quote that is never closed spoils only its line', () => {
  const text = 'A="open\nB=2'
  expect(readImport(text, 'dotenv').entries).toEqual([{ name: 'B', value: '2', line: 2 }])
  expect(problemsIn(text)).toEqual([{ line: 1, problem: 'the quote that opens here is never closed' }])
})

test('a value over several lines keeps them, and later lines keep their numbers', () => {
  expect(readImport('PEM="a\nb\nc"\nB=2', 'dotenv').entries).toEqual([
    { name: 'PEM', value: 'a\nb\nc', line: 1 },
    { name: 'B', value: '2', line: 4 },
  ])
})

test('JSON: numbers and flags are read as they are written; anything else is named with its line', () => {
  const text =
    '{\n  "A": "x\\n\\"",\n  "B": 1.0,\n  "C": null,\n  "D": true,\n "E": 1e3, "F": {"A": [1, "]"]}, "G":""}'
  expect(readImport(text, 'dotenv').entries).toEqual([
    { name: 'A', value: 'x\n"', line: 2 },
    { name: 'B', value: '1.0', line: 3 },
    { name: 'D', value: 'true', line: 5 },
    { name: 'E', value: '1e3', line: 6 },
    { name: 'G', value: '', line: 6 },
  ])
  expect(problemsIn(text)).toEqual([
    { line: 4, problem: 'the value of C is not a text' },
    { line: 6, problem: 'the value of F is not a text' },
  ])
})

test.each([
  ['{\n  "A": "x",\n  B\n}', 3],
  ['{"A": 1', 1],
  ['{\n  "A": "x",\n  "B":', 3],
])('JSON that is broken names the line where it breaks: %j', (text, line) => {
  expect(readImport(text, 'dotenv').entries).toEqual([])
  expect(problemsIn(text)).toEqual([{ line, problem: 'this is where the text stops being JSON' }])
})

test('any JSON object of texts is read back', () => {
  fc.assert(
    fc.property(hostileMap, fc.boolean(), (map, isIndented) => {
      const text = JSON.stringify(Object.fromEntries(map), null, isIndented ? 2 : 0)
      const values = readImport(text, 'dotenv').entries.map(({ name, value }) => [name, value])
      expect(Object.fromEntries(values)).toEqual(Object.fromEntries(map))
    }),
  )
})

test.each(['A=1\nB=2\nA=3', '{"A": 1,\n"B": 2,\n"A": 3}'])(
  'a name that is given twice keeps the last value, with a note: %j',
  (text) => {
    const { entries, notes } = readImport(text, 'dotenv')
    expect(entries).toEqual([
      { name: 'B', value: '2', line: 2 },
      { name: 'A', value: '3', line: 3 },
    ])
    expect(notes).toEqual(['line 3: A is set again; the last value counts'])
  },
)

test('a value that cannot be stored is a problem that repeats nothing of it', () => {
  expect(problemsIn(`A=${'x'.repeat(65_537)}`)).toEqual([
    { line: 1, problem: 'the value of A must be at most 65536 bytes of UTF-8' },
  ])
  expect(problemsIn('{"A":"a\\u0000"}')[0]?.problem).toContain('NUL')
  expect(problemsIn('{"A-B":"x"}')[0]?.problem).toContain('letters, digits')
  expect(problemsIn(`${'A'.repeat(256)}=x`)[0]?.problem).toContain('255')
})

test('an empty text is nothing', () => {
  expect(readImport('', 'dotenv')).toEqual({ entries: [], problems: [], notes: [] })
})

test('text that is not UTF-8 is refused, and UTF-16 by name', () => {
  expect(() => decodeText(Uint8Array.of(0x41, 0xff))).toThrow(/not UTF-8/)
  expect(() => decodeText(Uint8Array.of(0xff, 0xfe, 0x41, 0))).toThrow(/UTF-16/)
  expect(decodeText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41))).toBe('\ufeffA')
})

const readingOf = (line: string, dialect: Dialect) => {
  const { entries, problems } = readImport(line, dialect)
  return problems[0]?.message ?? entries[0]?.value
}

test.each<[Dialect, string, string]>([
  ['shell', "export A='it'\\''s'", "it's"],
  ['shell', 'A="a\\"b\\$c\\nd"', 'a"b$c\\nd'],
  ['shell', 'A=a\\ b # comment', 'a b'],
  ['shell', "A='a\r\nb'\r\n", 'a\r\nb'],
  ['shell', 'A=a#b', 'a#b'],
  ['shell', 'A=', ''],
  ['compose', 'A="a\\tb\\\\n\\"\\$c"', 'a\tb\\n"$c'],
  ['compose', "A='it\\'s \\n'", "it's \\n"],
  ['compose', 'A=a#b # comment', 'a#b'],
  ['compose', 'A="pa$$word"', 'pa$word'],
  ['compose', 'A=pa$$word', 'pa$word'],
])('%s reads %j as %j', (dialect, line, value) => {
  expect(readingOf(line, dialect)).toBe(value)
})

test.each<[Dialect, string, RegExp]>([
  ['shell', 'A= x', /expected|only blanks/],
  ['shell', 'A =x', /blanks around the =/],
  ['shell', 'A=a b', /only blanks/],
  ['shell', 'A=`id`', /only blanks/],
  ['shell', "A=$'x'", /not supported/],
  ['compose', "A='a''b'", /goes on/],
  ['compose', 'A=a\rb', /carriage return/],
])('%s refuses %j', (dialect, line, problem) => {
  expect(readingOf(line, dialect)).toMatch(problem)
})

test.each(['shell', 'compose'] as const)('%s notes a variable that is not expanded', (dialect) => {
  const notes = (line: string) => readImport(line, dialect).notes.length
  expect(notes('A="$HOME"')).toBe(1)
  expect(notes('A=$'.concat('{HOME}'))).toBe(1)
  expect(notes("A='$HOME'")).toBe(0)
  expect(notes('A="\\$HOME"')).toBe(0)
})

test('the shell dialect reads back what the server exports and what pull writes', () => {
  fc.assert(
    fc.property(hostileMap, (map) => {
      for (const text of [writeEnv(map), FORMATS.sh.write(map)]) {
        const values = readImport(text, 'shell').entries.map(({ name, value }) => [name, value])
        expect(values).toEqual(map)
      }
    }),
  )
})

test.for(
  DIALECT_NAMES.flatMap((dialect) =>
    [
      ['blanks before a letter', `A=b${' '.repeat(1_000_000)}c`],
      ['escapes', `A="${'\\"'.repeat(500_000)}"`],
      ['an open quote', `A="${'\\"'.repeat(500_000)}`],
      ['comment signs', `A=${' #'.repeat(500_000)}`],
      ['short lines', 'A=b\n'.repeat(200_000)],
      ['open quotes', 'A="\\"\n'.repeat(150_000)],
      ['line ends in quotes', `A='${'\n'.repeat(1_000_000)}'`],
    ].map(([what, text]) => ({ dialect, what, text: text ?? '' })),
  ),
)('$dialect reads a megabyte of $what in less than two seconds', ({ dialect, text }) => {
  const before = process.threadCpuUsage()
  readImport(text, dialect)
  expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000)
})
