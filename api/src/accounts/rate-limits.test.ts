import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openRateLimits } from '../http/rate-limit.ts'
import { rateLimits } from './rate-limits.ts'

const T0 = Date.parse('2026-01-31T12:00:00Z')
const open = () => rateLimits(openRateLimits({ redis: null, now: Date.now }).openCount)
const NO_BODY = new Uint8Array()
const signIn = (email: string) => Buffer.from(JSON.stringify({ email }))
const peer = (address: string) => ({ address, userAgent: '' })

beforeEach(() => {
  vi.useFakeTimers({ now: T0 })
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([
  ['logIn', 5, 15 * 60],
  ['logInWithPasskey', 50, 15 * 60],
  ['setUpAccount', 3, 60 * 60],
] as const)('%s lets %i calls pass in %i seconds', async (name, calls, windowSeconds) => {
  const limit = open()[name]
  for (let n = 1; n <= calls; n++)
    expect((await limit(peer('203.0.113.7'), NO_BODY)).headers).toEqual({
      'x-ratelimit-limit': String(calls),
      'x-ratelimit-remaining': String(calls - n),
      'x-ratelimit-reset': String(T0 / 1_000 + windowSeconds),
    })
  expect((await limit(peer('203.0.113.7'), NO_BODY)).allowed).toBe(false)
})

test('sign-ins are counted for each pair of address and e-mail, in any case of the letters', async () => {
  const limit = open().logIn
  for (let n = 0; n < 5; n++) await limit(peer('203.0.113.7'), signIn('Sam@example.com'))
  expect((await limit(peer('203.0.113.7'), signIn('sam@EXAMPLE.com'))).allowed).toBe(false)
  expect((await limit(peer('203.0.113.7'), signIn('kim@example.com'))).allowed).toBe(true)
  expect((await limit(peer('203.0.113.8'), signIn('sam@example.com'))).allowed).toBe(true)
})

test('an address signs in 50 times with any e-mail', async () => {
  const limit = open().logIn
  for (let n = 0; n < 50; n++)
    expect((await limit(peer('203.0.113.7'), signIn(`p${n}@example.com`))).allowed).toBe(true)
  const refused = await limit(peer('203.0.113.7'), signIn('last@example.com'))
  expect(refused).toMatchObject({ allowed: false, headers: { 'x-ratelimit-limit': '50' } })
  expect((await limit(peer('203.0.113.8'), signIn('last@example.com'))).allowed).toBe(true)
})
