import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMap } from '../../../../e2e/hostile-maps.ts'
import { EnvError } from '../env-error.ts'
import { parseEnv, writeEnv } from '../formats/interface-text.ts'

const valuesIn = (text: string) => parseEnv(`A=${text}`).map(({ value }) => value)

test('parse gives back what write was given', () => {
  fc.assert(
    fc.property(hostileMap, (map) => {
      expect(parseEnv(writeEnv(map)).map(({ name, value }) => [name, value])).toEqual(map)
    }),
  )
})

test('comments and blank lines are passed over, and lines are counted', () => {
  const text = "# first\n\n \t\nA=1\n  # indented = comment\nB='2\n3'\r\n\r\nC=4"
  expect(parseEnv(text)).toEqual([
    { name: 'A', value: '1', line: 4 },
    { name: 'B', value: '2\n3', line: 6 },
    { name: 'C', value: '4', line: 9 },
  ])
})

test.for([
  ['plain', 'plain'],
  ['', ''],
  ['  two words \t', 'two words'],
  ['a#b # c', 'a#b # c'],
  ['#c', '#c'],
  ["it's", "it's"],
  ['say "hi"', 'say "hi"'],
  ['a\\nb\\', 'a\\nb\\'],
  ['$HOME `id`', '$HOME `id`'],
  ['a=b=c', 'a=b=c'],
  ['\u00a0x\u00a0', '\u00a0x\u00a0'],
])('unquoted %j is %j', ([text, value]) => {
  expect(valuesIn(text ?? '')).toEqual([value])
})

test.for([
  ["''", ''],
  ['""', ''],
  ["  'x'  ", 'x'],
  ["' x '", ' x '],
  ["'a\nb\r\nc'", 'a\nb\r\nc'],
  ['"a\nb\r\nc"', 'a\nb\r\nc'],
  ["'it'\\''s'", "it's"],
  ["''\\'''", "'"],
  ['\'a\'"b"c\\ d', 'abc d'],
  ["'a'#b", 'a#b'],
  ["'\\n \\\\ \\\"'", '\\n \\\\ \\"'],
  ['"\\\\ \\" \\$ \\`"', '\\ " $ `'],
  ['"a\\\nb\\\r\nc"', 'abc'],
  ['"\\n \\t \\a \\\' \\\\n"', "\\n \\t \\a \\' \\n"],
  ['"$HOME `id` #"', '$HOME `id` #'],
  ['"\ufeff"', '\ufeff'],
])('quoted %j is %j', ([text, value]) => {
  expect(valuesIn(text ?? '')).toEqual([value])
})

test('CRLF ends a line, and a leading byte order mark does not count', () => {
  expect(parseEnv('\ufeffA=1\r\nB="2"\r\n\r\n# c\r\nC=3\r').map(({ name, value }) => name + value)).toEqual([
    'A1',
    'B2',
    'C3',
  ])
})

test('names are letters, digits and _; blanks around them do not count', () => {
  expect(parseEnv('  a_1 =x\n9=y\nexport=z').map(({ name }) => name)).toEqual(['a_1', '9', 'export'])
})

test('a name that is assigned twice appears twice', () => {
  expect(parseEnv('A=1\nA=2').map(({ value }) => value)).toEqual(['1', '2'])
})

test.for<[string, number, RegExp]>([
  ['A=1\nexport B=2', 2, /export/],
  ['\n\nnonsense', 3, /no =/],
  ['=1', 1, /name consists of/],
  ['A-B=1', 1, /name consists of/],
  ['A B=1', 1, /name consists of/],
  ['Ä=1', 1, /name consists of/],
  ["A='x\ny\n", 1, /never closed/],
  ['A=1\nB="x\\"', 2, /never closed/],
  ["A='x'\nB='y\nz' w", 3, /closing quote/],
  ["A='x' # comment", 1, /closing quote/],
  ["A='x'$y", 1, /closing quote/],
  ["A='x';B=1", 1, /closing quote/],
  ["A='x'\\\n", 1, /closing quote/],
  ['A=1\nB=2\rC=3', 2, /carriage return/],
  ['A=1\n\nB="\0"', 3, /NUL/],
  ['A=1\nB=\ud800', 2, /surrogate/],
])('%j is refused in line %i', ([text, line, problem]) => {
  const refusal = expect.objectContaining({ line, message: expect.stringMatching(problem) })
  expect(() => parseEnv(text)).toThrow(refusal)
  expect(() => parseEnv(text)).toThrow(EnvError)
})

test('any text gives entries or a line error that repeats nothing of it', () => {
  const secret = 'SECRETSECRET'
  const piece = fc.constantFrom(
    'A',
    '=',
    "'",
    '"',
    '\\',
    '\n',
    '\r',
    ' ',
    '#',
    '$',
    'export ',
    secret,
    '\ufeff',
    'é',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const message = messageFor(pieces.join(''))
      if (message !== undefined) expect(message).toMatch(/^line \d+: /)
      expect(message ?? '').not.toContain(secret)
    }),
  )
})

test.for<[string, string]>([
  ['blanks before a letter', `A=b${' '.repeat(1_000_000)}c`],
  ['empty quotes', `A=${"''".repeat(500_000)}`],
  ['escapes', `A="${'\\"'.repeat(500_000)}"`],
  ['blanks and no assignment', `A${' '.repeat(1_000_000)}c`],
  ['a quote that stays open', `A="${'\\"'.repeat(500_000)}`],
  ['carriage returns', `A=${'\r \t'.repeat(300_000)}b`],
  ['short lines', 'A=b\n'.repeat(200_000)],
  ['line ends in quotes', `A='${'\n'.repeat(1_000_000)}'`],
])('a megabyte of %s takes less than two seconds', ([, text]) => {
  const before = process.threadCpuUsage()
  messageFor(text)
  expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000)
})

function messageFor(text: string): string | undefined {
  try {
    parseEnv(text)
    return undefined
  } catch (error) {
    if (error instanceof EnvError) return error.message
    throw error
  }
}
