import { parse as parseAsDotenv } from 'dotenv'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMap } from '../../../../e2e/hostile-maps.ts'
import { EnvError } from '../env-error.ts'
import { writeEnv } from '../formats/interface-text.ts'
import { readImport } from '../read-import.ts'

function read(text: string): Record<string, string> {
  const { entries, problems } = readImport(text, 'dotenv')
  if (problems[0]) throw problems[0]
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]))
}

const notesOf = (text: string) => readImport(text, 'dotenv').notes.join('\n')

test.each([
  ['  export   A = 1  ', '1'],
  ['A=', ''],
  ['A=   ', ''],
  ["A=''", ''],
  ['A=a b  c', 'a b  c'],
  ['A=a # comment', 'a'],
  ['A=a\t# comment', 'a'],
  ['A= # comment', ''],
  ['A="a # b" # comment', 'a # b'],
  ["A='single $HOME \\n'", 'single $HOME \\n'],
  ['A="a\\nb"', 'a\nb'],
  ['A=`back "tick" it\'s`', 'back "tick" it\'s'],
  ['A="one\ntwo\n"', 'one\ntwo\n'],
  ["A='one\r\ntwo'\r\n", 'one\ntwo'],
  ['\ufeffA=1\r\n', '1'],
  ['A=C:\\temp\\new', 'C:\\temp\\new'],
  ['A=x=y==', 'x=y=='],
  ["A=it's", "it's"],
  ['A=grüße 🚢', 'grüße 🚢'],
  ['A=\u00a0"a b"', 'a b'],
  ["A=\ufeff'a b'", 'a b'],
  ['A= \u00a0\ufeff`a`', 'a'],
  ['A=\u00a0a', 'a'],
  ['A=\u00a0# comment', ''],
])('%j is read as npm dotenv reads it, without a note', (text, value) => {
  expect(read(text)).toEqual({ A: value })
  expect(read(text)).toEqual({ ...parseAsDotenv(text) })
  expect(notesOf(text)).toBe('')
})

test.each([
  ['A="a\\tb"', 'a\\tb'],
  ['A="C:\\\\temp\\\\new"', 'C:\\\\temp\\\new'],
  ['A="{\\"k\\":\\"v\\"}"', '{\\"k\\":\\"v\\"}'],
  ['A="a\\rb"', 'a\rb'],
  ['A="\\$B"', '\\$B'],
  ['A="""x"""', '""x""'],
  ["A='a''b'", "a''b"],
  ["A='it\\'s'", "it\\'s"],
  ["A='C:\\'", 'C:\\'],
  ['A="$HOME"', '$HOME'],
  ['A=$'.concat('{B}'), '$'.concat('{B}')],
])('%j is read as npm dotenv reads it, and a note says who differs', (text, value) => {
  expect(read(text)).toEqual({ A: value })
  expect(read(text)).toEqual({ ...parseAsDotenv(text) })
  expect(notesOf(text)).toMatch(/^line 1: /)
})

test.each([
  ['A=#fff', '#fff', /the # is part of the value/],
  ['A=pass#word', 'pass#word', /the # is part of the value/],
  ["A='it'\\''s'", "it's", /a shell reads it/],
])('%j is read as it was meant, and a note says what npm dotenv makes of it', (text, value, note) => {
  expect(read(text)).toEqual({ A: value })
  expect(notesOf(text)).toMatch(note)
})

test('a lone carriage return ends the line, with a note', () => {
  expect(read('A=1\rB=2\r\nC=3\r')).toEqual({ A: '1', B: '2', C: '3' })
  expect(notesOf('A=1\nB=2\rC=3')).toMatch(/^line 2: a lone carriage return/)
})

test.each([
  ['A=1\nNOT A LINE', 2],
  ['A', 1],
  ['A-B=1', 1],
  ['=x', 1],
  ['A=1\n\nB="open\nC=2\n', 3],
  ["A='open", 1],
  ['A=1\nB="closed" and more', 2],
  ['A="a"\'b\'', 1],
  ['export A', 1],
])('%j is refused with its line', (text, line) => {
  expect(() => read(text)).toThrow(EnvError)
  expect(() => read(text)).toThrow(new RegExp(`^line ${line}: `))
})

test('an error repeats nothing of a value', () => {
  expect(() => read('A="hunter2" hunter3\n')).toThrow(expect.not.stringMatching('hunter'))
})

test('what the server exports is read back', () => {
  fc.assert(
    fc.property(hostileMap, (map) => {
      // A carriage return in a .env file means a line end.
      const entries = map.filter(([, value]) => !value.includes('\r'))
      expect(read(writeEnv(entries))).toEqual(Object.fromEntries(entries))
    }),
  )
})

const piece = fc.constantFrom(
  'a',
  ' ',
  '#',
  '"',
  "'",
  '`',
  '\\',
  '\\n',
  '$',
  '{',
  '=',
  '\n',
  '\r',
  'B=',
  'export ',
)

test('what npm dotenv reads otherwise is refused or noted', () => {
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => `A=${pieces.join('')}`)
  fc.assert(
    fc.property(text, (given) => {
      const { entries, notes, problems } = readImport(given, 'dotenv')
      if (notes.length > 0 || problems.length > 0) return
      const values = Object.fromEntries(entries.map(({ name, value }) => [name, value]))
      expect(values).toEqual({ ...parseAsDotenv(given) })
    }),
  )
})

test('any text is read or refused, never anything else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      for (const dialect of ['dotenv', 'shell', 'compose'] as const) readImport(text, dialect)
    }),
  )
})
