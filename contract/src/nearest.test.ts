import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const WORDS = ['run', 'ls', 'edit', 'open', 'pull', 'import', 'version', 'dev/app']

test.each([
  ['rn', 'run'],
  ['opne', 'open'],
  ['pul', 'pull'],
  ['imprt', 'import'],
  ['ipmrot', 'import'],
  ['verison', 'version'],
  ['dev/ap', 'dev/app'],
])('%s is close to %s', (typed, word) => {
  expect(nearest(typed, WORDS)).toBe(word)
})

test.each(['nope', 'no', 'x', '', 'rust', 'pool', 'important', 'p'.repeat(1000)])(
  '%s is close to no word',
  (typed) => {
    expect(nearest(typed, WORDS)).toBeNull()
  },
)
