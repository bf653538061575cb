import { expect, test } from 'vitest'
import { passkeyChallenge } from './passkey-challenge.ts'

test('a challenge is 32 bytes, the same on every node, and another one for other facts or another secret', () => {
  const challenge = passkeyChallenge(['a', 'b'], 'secret')
  expect(Buffer.from(challenge, 'base64url')).toHaveLength(32)
  expect(passkeyChallenge(['a', 'b'], 'secret')).toBe(challenge)
  const others = [passkeyChallenge(['ab', ''], 'secret'), passkeyChallenge(['a', 'b'], 'other')]
  expect(new Set([challenge, ...others]).size).toBe(3)
})
