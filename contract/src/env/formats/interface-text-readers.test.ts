import { parseEnv as parseAsNode } from 'node:util'
import { parse as parseAsDotenv } from 'dotenv'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMap } from '../../../../e2e/hostile-maps.ts'
import { writeEnv } from './interface-text.ts'

type Reader = (text: string) => Record<string, string | undefined>

// What docs/formats.md says about readers that are not shells.
const READERS: [name: string, read: Reader, unreadable: RegExp][] = [
  ['dotenv', parseAsDotenv, /['\r]|\\$/],
  ['node --env-file', parseAsNode, /['\r]/],
]

test.for(READERS)('%s reads every value but those it is said not to', ([, read, unreadable]) => {
  const readable = hostileMap.map((map) => map.filter(([, value]) => !unreadable.test(value)))
  fc.assert(
    fc.property(readable, (map) => {
      expect({ ...read(writeEnv(map)) }).toEqual(Object.fromEntries(map))
    }),
  )
})

test.for(READERS)('%s does not read single quotes and carriage returns', ([, read]) => {
  for (const value of ["it's", 'a\rb', 'a\r\nb']) {
    expect(read(writeEnv([['A', value]]))['A']).not.toBe(value)
  }
})

test('dotenv takes a backslash at the end of a value for an escape, and reads on into the next line', () => {
  expect(parseAsDotenv(writeEnv(Object.entries({ A: '\\', B: '#x' })))).toEqual({ A: "\\'\nB=" })
})
