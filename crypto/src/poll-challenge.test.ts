import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import vectors from '../../vectors/poll-challenge.json' with { type: 'json' }
import { generatePollVerifier, isPollChallenge, pollChallenge, verifierMatches } from './poll-challenge.ts'

const [known] = vectors.valid

test.for(vectors.valid)('is what others compute: $challenge', ({ verifier, challenge }) => {
  expect(pollChallenge(verifier)).toBe(challenge)
  expect(isPollChallenge(challenge)).toBe(true)
  expect(verifierMatches(challenge, verifier)).toBe(true)
})

test('is over the 32 bytes, not over their text', () => {
  expect(verifierMatches(vectors.hashOfText.challenge, vectors.hashOfText.verifier)).toBe(false)
})

test.for(vectors.malformed)('refuses on either side: $name ($why)', ({ text }) => {
  expect(isPollChallenge(text)).toBe(false)
  expect(verifierMatches(text, known?.verifier ?? '')).toBe(false)
  expect(verifierMatches(known?.challenge ?? '', text)).toBe(false)
  expect(() => pollChallenge(text)).toThrow(expect.objectContaining({ code: 'bad_poll_verifier' }))
})

test('a verifier is new each time and answers its own challenge alone', () => {
  const [one, other] = [generatePollVerifier(), generatePollVerifier()]
  expect(one).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(verifierMatches(pollChallenge(one), one)).toBe(true)
  expect(verifierMatches(pollChallenge(one), other)).toBe(false)
  expect(verifierMatches(pollChallenge(one), pollChallenge(one))).toBe(false)
})

test('any other text matches nothing', () => {
  const challenge = pollChallenge(generatePollVerifier())
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_-]{43}$/)), (text) => {
      expect(verifierMatches(challenge, text)).toBe(false)
    }),
  )
})
