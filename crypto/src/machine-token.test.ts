import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/machine-token.json' with { type: 'json' }
import { isMachineToken, makeMachineToken, tokenHint } from './machine-token.ts'

test.for(vectors.valid)('accepts what others make: $token', ({ token }) => {
  expect(isMachineToken(token)).toBe(true)
})

test.for(vectors.malformed)('refuses: $name ($why)', ({ text }) => {
  expect(isMachineToken(text)).toBe(false)
})

test('a token is new each time, has the published form, and ends in its hint', () => {
  const [one, other] = [makeMachineToken(), makeMachineToken()]
  expect(one).toMatch(/^kfm_[0-9A-Za-z]{49}$/)
  expect(one).not.toBe(other)
  expect(isMachineToken(one)).toBe(true)
  expect(one.endsWith(tokenHint(one))).toBe(true)
  expect(tokenHint(one)).toHaveLength(4)
})

test('a changed character is found', () => {
  const change = fc.tuple(fc.nat(52), fc.stringMatching(/^[0-9A-Za-z]$/))
  fc.assert(
    fc.property(change, ([at, character]) => {
      const token = makeMachineToken()
      const changed = token.slice(0, at) + character + token.slice(at + 1)
      expect(isMachineToken(changed)).toBe(changed === token)
    }),
  )
})
