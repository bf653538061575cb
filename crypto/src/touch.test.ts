import { expect, test } from 'vitest'
import vectors from '../../vectors/touch.json' with { type: 'json' }
import { generateRootKey, parseRootKey, RootKeyRing } from './root-key.ts'
import {
  createTouchNonce,
  createTouchToken,
  nonceOfTouchToken,
  touchBodyDigest,
  touchChallenge,
  touchNonceMs,
  touchTokenFits,
} from './touch.ts'

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))
const rootKey = parseRootKey(Buffer.from(vectors.rootKey, 'hex').toString('base64'))
const ring = new RootKeyRing([generateRootKey(), rootKey])
const STATEMENT = Buffer.from('{"act":"approve"}')
const NOW_MS = 1_800_000_000_123

test.for(vectors.challenges)('is what others compute: $name', (made) => {
  const leaf = { nonce: hex(made.nonce), statement: hex(made.statement) }
  expect(Buffer.from(touchChallenge(leaf)).toString('hex')).toBe(made.challenge)
  expect(touchBodyDigest(leaf.nonce, hex(made.body))).toBe(made.bodyDigest)
  expect(createTouchToken(leaf, rootKey)).toBe(made.token)
  expect(touchTokenFits(made.token, leaf.statement, ring)).toBe(true)
  expect(touchNonceMs(leaf.nonce)).toBe(1_800_000_000_000)
})

const tokenOf = (statement: Uint8Array) =>
  createTouchToken({ nonce: createTouchNonce(NOW_MS), statement }, rootKey)

test('a token says when it was made, and never twice the same', () => {
  const tokens = [tokenOf(STATEMENT), tokenOf(STATEMENT)]
  expect(tokens.map((token) => touchNonceMs(nonceOfTouchToken(token) ?? new Uint8Array(8)))).toEqual([
    NOW_MS,
    NOW_MS,
  ])
  expect(new Set(tokens).size).toBe(2)
})

test('a token fits its statement alone, and only under a root key in use', () => {
  const token = tokenOf(STATEMENT)
  expect(touchTokenFits(token, STATEMENT, ring)).toBe(true)
  expect(touchTokenFits(token, Buffer.from('{"act":"approve"} '), ring)).toBe(false)
  expect(touchTokenFits(token, STATEMENT, new RootKeyRing([generateRootKey()]))).toBe(false)
})

test('no changed character leaves a token that fits', () => {
  const token = tokenOf(STATEMENT)
  const changed = token
    .split('')
    .flatMap((letter, at) =>
      ['A', 'B', '.', ''].filter((other) => other !== letter).map((other) => splice(token, at, other)),
    )
  expect(changed.length).toBeGreaterThan(300)
  expect(changed.filter((text) => touchTokenFits(text, STATEMENT, ring))).toEqual([])
  for (const text of ['', '.', `${token}\n`, `${token}=`, token.replace('.', '..')])
    expect(touchTokenFits(text, STATEMENT, ring)).toBe(false)
})

test('the number and the order of leaves count', () => {
  const [a, b] = [createTouchNonce(NOW_MS), createTouchNonce(NOW_MS)].map((nonce) => ({
    nonce,
    statement: STATEMENT,
  }))
  if (!a || !b) throw new Error('two leaves')
  const all = [touchChallenge(), touchChallenge(a), touchChallenge(a, b), touchChallenge(b, a)]
  expect(new Set(all.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(4)
})

function splice(text: string, at: number, letter: string): string {
  return `${text.slice(0, at)}${letter}${text.slice(at + 1)}`
}
