import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HostileMap, hostileMaps, RUNS_OF_MANY_MAPS } from '../../../../e2e/hostile-maps.ts'
import { POSIX_SHELLS, readBack, requireShell } from '../../../../e2e/real-shells.ts'
import { MASK } from '../../limits.ts'
import { EnvError } from '../env-error.ts'
import { writeEnv } from './interface-text.ts'

const shellText = (map: HostileMap) => ({ text: writeEnv(map), names: map.map(([name]) => name) })
const valuesOf = (map: HostileMap) => map.map(([, value]) => value)

describe.for(POSIX_SHELLS)('real %s', (shell) => {
  test.for(['C.UTF-8', 'C'])(
    'eval reads back every value of hundreds of hostile maps, locale %s',
    async (locale, context) => {
      requireShell(shell, (note) => context.skip(note))
      await fc.assert(
        fc.asyncProperty(hostileMaps, async (maps) => {
          expect(await readBack(shell, maps.map(shellText), locale)).toEqual(maps.map(valuesOf))
        }),
        { numRuns: RUNS_OF_MANY_MAPS, examples: [[[everyCharacter()]]] },
      )
    },
  )
})

test('values without a meaning in any shell are written without quotes, and so is the mask', () => {
  const map: HostileMap = [
    ['A', 'postgres://app@db:5432/x'],
    ['B', ''],
    ['C', '*****'],
    ['_d1', 'a,b+c%20.d-e'],
  ]
  expect(writeEnv(map)).toBe('A=postgres://app@db:5432/x\nB=\nC=*****\n_d1=a,b+c%20.d-e\n')
})

test('all others are quoted', () => {
  expect(writeEnv([['A', "it's\n$HOME"]])).toBe("A='it'\\''s\n$HOME'\n")
  for (const value of [' ', '~', '#', '****', 'a=b', '!', 'é', '\\', '\t']) {
    expect(writeEnv([['A', value]])).toBe(`A='${value}'\n`)
  }
})

test.for(
  `RANDOM SRANDOM OPTIND SECONDS UID ERRNO USER_ID PGRP KSHUID KSHGID KSHEGID PIPESTATUS BASHPID PPID COLUMNS LINES`.split(
    ' ',
  ),
)('to %s, which shells evaluate, only a whole number is written', (name) => {
  expect(writeEnv([[name, '12']])).toBe(`${name}=12\n`)
  expect(writeEnv([[name, MASK]])).toBe(`${name}=${MASK}\n`)
  expect(() => writeEnv([[name, 'a[$(touch /tmp/x)]']])).toThrow(expect.objectContaining({ names: [name] }))
})

test('nothing gives nothing', () => {
  expect(writeEnv([])).toBe('')
})

test('every name that no shell can assign is named, and no value', () => {
  const entries: HostileMap = [
    ['1A', 'secret'],
    ['GOOD', 'secret'],
    ['', 'secret'],
    ['A-B', 'secret'],
  ]
  const refusal = { names: ['1A', '', 'A-B'], message: 'no shell can assign to: 1A, , A-B' }
  expect(() => writeEnv(entries)).toThrow(expect.objectContaining(refusal))
  expect(() => writeEnv(entries)).toThrow(EnvError)
  const others: HostileMap = [
    ['B', 'a\0b'],
    ['RANDOM', 'x'],
  ]
  expect(() => writeEnv([...entries, ...others])).toThrow(expect.objectContaining(refusal))
})

test.for(['a\0b', 'a\ud800'])('the value %j is refused by its name', (value) => {
  expect(() =>
    writeEnv([
      ['A', 'x'],
      ['B', value],
    ]),
  ).toThrow(expect.objectContaining({ names: ['B'] }))
})

/** Each code point of the first plane up to U+07FF, and a few beyond, one variable each. */
function everyCharacter(): HostileMap {
  const codes = Array.from({ length: 0x7ff }, (_, index) => index + 1)
  return [...codes, 0x2028, 0xfeff, 0xfffd, 0xffff, 0x1f511, 0x10ffff].map((code) => [
    `K_${code}`,
    `a${String.fromCodePoint(code)}b${String.fromCodePoint(code)}`,
  ])
}
