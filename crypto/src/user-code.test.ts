import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/user-code.json' with { type: 'json' }
import { normalizeUserCode, userCode } from './user-code.ts'

test.for(vectors.valid)('is what others compute: $name', ({ requestId, publicKey, userCode: code }) => {
  expect(userCode(requestId, Buffer.from(publicKey, 'hex'))).toBe(code)
})

test('has two groups of four letters that none is mistaken for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (id, key) => {
        expect(userCode(id, key)).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      },
    ),
  )
})

test('favours no letter in any place', () => {
  const rounds = 20_000
  const counts = new Map<string, number>()
  for (let round = 0; round < rounds; round++) countLetters(userCode(String(round), randomBytes(32)), counts)
  expect(counts.size).toBe(8 * 20)
  // 1,000 expected, standard deviation 31: seven of them are never seen by chance.
  for (const count of counts.values()) expect(Math.abs(count - rounds / 20)).toBeLessThan(217)
})

test('another request or another key gives another code', () => {
  const key = randomBytes(32)
  expect(userCode('a', key)).not.toBe(userCode('b', key))
  expect(userCode('a', key)).not.toBe(userCode('a', randomBytes(32)))
})

test.for([
  'BCDF-GHJK',
  'bcdf-ghjk',
  'bcdfghjk',
  ' B C D F g h j k ',
  'BCDF–GHJK',
  'bcdf - ghjk\n',
  '\tBCDF\u00a0GHJK',
])('reads %j as typed by a person', (typed) => {
  expect(normalizeUserCode(typed)).toBe('BCDF-GHJK')
})

test.for(['', 'BCDF-GHJ', 'BCDF-GHJKL', 'BCDF.GHJK', 'ACDF-GHJK', '-'])('%j is not that code', (typed) => {
  expect(normalizeUserCode(typed)).not.toBe('BCDF-GHJK')
})

test('normalising a code changes nothing', () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      const code = userCode(id, new Uint8Array(32))
      expect(normalizeUserCode(code)).toBe(code)
    }),
  )
})

function countLetters(code: string, counts: Map<string, number>): void {
  for (const [place, letter] of code.replace('-', '').split('').entries()) {
    counts.set(`${place}${letter}`, (counts.get(`${place}${letter}`) ?? 0) + 1)
  }
}
