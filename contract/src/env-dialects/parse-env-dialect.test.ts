import { expect, test } from 'vitest'
import { EnvDialectError } from './import-text.ts'
import { parseEnvDialect } from './parse-env-dialect.ts'

const read = (text: string) => parseEnvDialect(text).entries.map(({ name, value }) => [name, value])

test.each([
  ['an export prefix', 'export A=1', '1'],
  ['a comment behind a value', 'A=one two # note', 'one two'],
  ['a # without a blank before it', 'A=#ff8800', '#ff8800'],
  ['a # inside quotes', `A="x # y"`, 'x # y'],
  ['an empty value', 'A=', ''],
  ['an empty value with a comment', 'A= # nothing', ''],
  ['blanks around an unquoted value', 'A =  x y  ', 'x y'],
  ['single quotes are literal', `A='$HOME \\n'`, '$HOME \\n'],
  ['backticks are literal', 'A=`it\'s "both"`', `it's "both"`],
  ['escapes in double quotes', `A="a\\n\\"b\\" \\$c \\d"`, 'a\n"b" $c \\d'],
  ['quotes over several lines', `A="x\n  y\nz"`, 'x\n  y\nz'],
  ['pieces joined as a shell joins them', `A='it'\\''s'`, "it's"],
  ['CRLF and a byte order mark', '\ufeffA=1\r\n', '1'],
])('reads %s', (_, text, value) => {
  expect(read(text)).toEqual([['A', value]])
})

test('comments and blank lines are skipped, and lines keep their numbers', () => {
  const { entries } = parseEnvDialect('# a\n\nA="1\n2"\nB=3\n')
  expect(entries.map(({ name, line }) => [name, line])).toEqual([
    ['A', 3],
    ['B', 5],
  ])
})

test('of a name that is set twice the last one counts, and a note says so', () => {
  const { entries, notes } = parseEnvDialect('A=1\nA=2')
  expect(entries).toEqual([{ name: 'A', value: '2', line: 2 }])
  expect(notes).toEqual(['line 2: A is set again; the last one counts'])
})

test.each([
  ['A=1\nnonsense', 2],
  ['A-B=1', 1],
  ['A="open\nB=1', 1],
  [`A='x' y`, 1],
])('refuses %j and names line %i', (text, line) => {
  expect(() => parseEnvDialect(text)).toThrow(expect.objectContaining({ name: EnvDialectError.name, line }))
})
