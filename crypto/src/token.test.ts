import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashToken, randomId, randomRequestId, randomToken } from './token.ts'

test('a token is 32 random bytes as url-safe base64', () => {
  const tokens = Array.from({ length: 1000 }, randomToken)
  expect(new Set(tokens).size).toBe(1000)
  for (const token of tokens) expect(Buffer.from(token, 'base64url').toString('base64url')).toBe(token)
  expect(tokens.every((token) => Buffer.from(token, 'base64url').length === 32)).toBe(true)
})

test('its hash is the SHA-256 of its text', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  const token = randomToken()
  expect(hashToken(token)).toBe(createHash('sha256').update(token).digest('hex'))
})

test('a request id is 128 random bits in lower-case hex', () => {
  const ids = Array.from({ length: 1000 }, randomRequestId)
  expect(new Set(ids).size).toBe(1000)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
})

test('an id is a UUID of version 7 that begins with the time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 1000 }, randomId)
  expect(new Set(ids).size).toBe(1000)
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const madeAt = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
    expect(madeAt).toBeGreaterThanOrEqual(before)
    expect(madeAt).toBeLessThanOrEqual(Date.now())
  }
})
