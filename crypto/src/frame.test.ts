import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { frame } from './frame.ts'

const parts = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array({ maxLength: 8 })))

test('puts each part behind its length', () => {
  expect(frame('né', Uint8Array.of(7), '').toString('hex')).toBe('000000036ec3a9000000010700000000')
})

test('different lists of parts never give the same bytes', () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(frame(...one).equals(frame(...other))).toBe(sameBytes(one, other))
    }),
  )
})

test('a letter moved from one part to the next changes the bytes', () => {
  expect(frame('ab', 'c')).not.toEqual(frame('a', 'bc'))
})

test('refuses a lone surrogate, which would become another text', () => {
  expect(() => frame('\ud800')).toThrow(expect.objectContaining({ code: 'bad_text' }))
})

type Parts = readonly (string | Uint8Array)[]

function sameBytes(one: Parts, other: Parts): boolean {
  const bytes = (list: Parts) => JSON.stringify(list.map((part) => Buffer.from(part).toString('hex')))
  return bytes(one) === bytes(other)
}
