import { writeEnv } from '@keyferry/contract/env-text'
import { parse as parseAsDotenv } from 'dotenv'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMap } from '../../../e2e/hostile-maps.ts'
import { EnvDialectError } from './import-text.ts'
import { parseEnvDialect } from './parse-env-dialect.ts'

function read(text: string): Record<string, string> {
  return Object.fromEntries(parseEnvDialect(text).entries.map(({ name, value }) => [name, value]))
}

test.each([
  ['  export   A = 1  ', '1'],
  ['A=', ''],
  ['A=   ', ''],
  ["A=''", ''],
  ['A=a b  c', 'a b  c'],
  ['A=a # comment', 'a'],
  ['A=a\t# comment', 'a'],
  ['A= # comment', ''],
  ['A=#fff', '#fff'],
  ['A=pass#word', 'pass#word'],
  ['A="a # b" # comment', 'a # b'],
  ["A='single $HOME \\n'", 'single $HOME \\n'],
  ['A="double \\"x\\" \\$y \\`z\\` \\\\ \\n\\t\\q"', 'double "x" $y `z` \\ \n\t\\q'],
  ['A=`back "tick" it\'s`', 'back "tick" it\'s'],
  ["A='it'\\''s'", "it's"],
  ['A="a"\'b\'`c`', 'abc'],
  ['A="one\ntwo\n"', 'one\ntwo\n'],
  ["A='one\r\ntwo'\r\n", 'one\ntwo'],
  ['\ufeffA=1\r\n', '1'],
  ['A=C:\\temp\\new', 'C:\\temp\\new'],
  ['A=x=y==', 'x=y=='],
  ['A="$HOME"', '$HOME'],
  ["A=it's", "it's"],
  ['A=grüße 🚢', 'grüße 🚢'],
])('%j', (text, value) => {
  expect(read(text)).toEqual({ A: value })
})

test.each([
  ['A=1\nNOT A LINE', 2],
  ['A', 1],
  ['A-B=1', 1],
  ['=x', 1],
  ['A=1\n\nB="open\nC=2\n', 3],
  ["A='open", 1],
  ['A=1\nB="closed" and more', 2],
  ["A='it\\'s'", 1],
  ['export A', 1],
])('%j is refused with its line', (text, line) => {
  expect(() => parseEnvDialect(text)).toThrow(EnvDialectError)
  expect(() => parseEnvDialect(text)).toThrow(new RegExp(`^line ${line} `))
})

test('an error holds nothing of a value', () => {
  expect(() => parseEnvDialect('A="hunter2" hunter3\n')).toThrow(expect.not.stringMatching('hunter'))
})

test('what the server exports is read as it was', () => {
  fc.assert(
    fc.property(hostileMap, (map) => {
      // In single quotes CRLF is folded: a file with such line ends means line ends.
      const entries = map.filter(([, value]) => !value.includes('\r\n'))
      expect(read(writeEnv(entries))).toEqual(Object.fromEntries(entries))
    }),
    { numRuns: 5_000 },
  )
})

test('simple files are read as dotenv reads them', () => {
  const word = fc.stringMatching(/^[A-Za-z0-9_.:/ -]{0,12}$/)
  const value = fc.oneof(
    word,
    word.map((text) => `"${text}"`),
    word.map((text) => `'${text}'`),
    word.map((text) => `\`${text}\``),
    word.map((text) => `"${text}\\n${text}"`),
    word.map((text) => `${text} # comment`),
  )
  const line = fc.tuple(fc.stringMatching(/^[A-Z_]{1,6}$/), value, fc.boolean())
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      const text = lines
        .map(([name, body, isExport]) => `${isExport ? 'export ' : ''}${name}=${body}`)
        .join('\n')
      expect(read(text)).toEqual({ ...parseAsDotenv(text) })
    }),
    { numRuns: 3_000 },
  )
})

test('any text is read or refused, never anything else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      try {
        parseEnvDialect(text)
      } catch (error) {
        expect(error).toBeInstanceOf(EnvDialectError)
      }
    }),
    { numRuns: 5_000 },
  )
})
