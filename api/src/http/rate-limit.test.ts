import { RATES } from '@keyferry/contract'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ownRedis } from '../../../plumbing/test/redis-server.ts'
import { type NoticeRedis, openRedis } from '../request-store/redis-connection.ts'
import { openRateLimits, RateExceeded } from './rate-limit.ts'

const T0 = Date.parse('2026-01-31T12:00:00Z')
const open = (redis: NoticeRedis | null = null) => openRateLimits({ redis, now: Date.now })
const NO_BODY = new Uint8Array()
const peer = (address: string) => ({ address, userAgent: '' })

describe('rate limits within one process', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: T0 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test.each([
    ['createRequest', 10, 60],
    ['waitForApproval', 100, 60],
    ['forgetDevice', 10, 60],
  ] as const)('%s lets %i calls pass in %i seconds, and says so', async (name, calls, windowSeconds) => {
    const limit = open().rateLimits[name]
    for (let n = 1; n <= calls; n++) {
      expect(await limit(peer('203.0.113.7'), NO_BODY)).toEqual({
        allowed: true,
        headers: {
          'x-ratelimit-limit': String(calls),
          'x-ratelimit-remaining': String(calls - n),
          'x-ratelimit-reset': String(T0 / 1_000 + windowSeconds),
        },
      })
    }
    vi.advanceTimersByTime((windowSeconds - 1) * 1_000 + 500)
    const refused = await limit(peer('203.0.113.7'), NO_BODY)
    expect(refused.allowed).toBe(false)
    expect(refused.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-remaining': '0' })
    vi.advanceTimersByTime(500)
    expect((await limit(peer('203.0.113.7'), NO_BODY)).allowed).toBe(true)
  })

  test('each address has a separate count', async () => {
    const limit = open().rateLimits.forgetDevice
    for (let n = 0; n < 11; n++) await limit(peer('203.0.113.7'), NO_BODY)
    expect((await limit(peer('203.0.113.8'), NO_BODY)).allowed).toBe(true)
  })

  test('many IPv6 addresses of one network share one count', async () => {
    const limit = open().rateLimits.forgetDevice
    for (let n = 0; n < 10; n++) await limit(peer(`2001:db8::${n}`), NO_BODY)
    expect((await limit(peer('2001:db8::ffff:4'), NO_BODY)).allowed).toBe(false)
    expect((await limit(peer('2001:db8:0:1::4'), NO_BODY)).allowed).toBe(true)
  })

  test('new requests are counted for each IPv6 /48 too', async () => {
    const limit = open().rateLimits.createRequest
    const fromNetwork = (n: number) => limit(peer(`2001:db8:1:${n.toString(16)}::1`), NO_BODY)
    for (let n = 0; n < 100; n++) expect((await fromNetwork(n)).allowed).toBe(true)
    const refused = await fromNetwork(100)
    expect(refused).toMatchObject({
      allowed: false,
      headers: { 'x-ratelimit-limit': '100', 'retry-after': '60' },
    })
    expect((await limit(peer('2001:db8:2::1'), NO_BODY)).allowed).toBe(true)
    expect((await limit(peer('203.0.113.7'), NO_BODY)).allowed).toBe(true)
  })

  test('a request that is taken back does not count, neither for its network nor for the wider one', async () => {
    const { rateLimits, uncountRequest } = open()
    const ask = (n: number) => rateLimits.createRequest(peer(`2001:db8:1:${n.toString(16)}::1`), NO_BODY)
    for (let n = 0; n < 100; n++) expect((await ask(n)).allowed).toBe(true)
    expect((await ask(100)).allowed).toBe(false)
    await uncountRequest('2001:db8:1:5::9')
    await uncountRequest('2001:db8:1:6::9')
    expect((await ask(100)).allowed).toBe(true)
    expect((await ask(100)).allowed).toBe(false)
    expect((await rateLimits.createRequest(peer('2001:db8:2::1'), NO_BODY)).headers).toMatchObject({
      'x-ratelimit-remaining': '9',
    })
  })

  test('terminals with keys count by themselves, and all of one address too', async () => {
    const { rateLimits, uncountRequest } = open()
    const ask = async (terminal: number, address = '203.0.113.7') => {
      const body = Buffer.from(JSON.stringify({ device: { public_key: `key ${terminal}` } }))
      return (await rateLimits.createRequest(peer(address), body)).allowed
    }
    for (let n = 0; n < 10; n++) expect(await ask(1)).toBe(true)
    expect(await ask(1)).toBe(false)
    // A key that a stranger names elsewhere takes nothing from its terminal.
    expect(await ask(2)).toBe(true)
    for (let n = 0; n < 10; n++) expect(await ask(2, '203.0.113.8')).toBe(true)
    expect(await ask(2)).toBe(true)
    for (let n = 10; n < 98; n++) expect(await ask(n)).toBe(true)
    expect(await ask(98)).toBe(false)
    for (const key of ['key 2', 'key 98']) await uncountRequest('203.0.113.7', key)
    expect(await ask(2)).toBe(true)
    expect(await ask(99)).toBe(false)
  })

  test.each(['203.0.113.7', '2001:db8:1:5::1'])('%s gets back one of its requests', async (address) => {
    const { rateLimits, uncountRequest } = open()
    const ask = () => rateLimits.createRequest(peer(address), NO_BODY)
    for (let n = 0; n < 10; n++) expect((await ask()).allowed).toBe(true)
    await uncountRequest(address)
    expect((await ask()).allowed).toBe(true)
    expect((await ask()).allowed).toBe(false)
  })

  test('a deposit that a person approves counts for the person, and no longer for its address', async () => {
    const { rateLimits, takeDeposit } = open()
    const deposit = Buffer.from(JSON.stringify({ kind: 'deposit' }))
    const ask = async () => (await rateLimits.createRequest(peer('2001:db8:1:5::1'), deposit)).allowed
    const most = RATES.createDeposit.calls
    for (let n = 0; n < most; n++) {
      expect(await ask()).toBe(true)
      vi.advanceTimersByTime((RATES.createRequest.windowSeconds * 1_000) / 5)
    }
    expect(await ask()).toBe(false)
    await takeDeposit('sam', '2001:db8:1:5::2')
    await takeDeposit('sam', '2001:db8:1:5::2')
    vi.advanceTimersByTime(RATES.createRequest.windowSeconds * 1_000)
    expect(await ask()).toBe(true)
    for (let n = 2; n < RATES.approveDeposit.calls; n++) await takeDeposit('sam', '203.0.113.9')
    await expect(takeDeposit('sam', '203.0.113.9')).rejects.toBeInstanceOf(RateExceeded)
    await takeDeposit('kim', '203.0.113.9')
  })

  test('an endpoint without a rate is not counted', () => {
    expect(Object.keys(open().rateLimits)).not.toContain('getKey')
  })

  test('a request may be polled again 3 s after its last turn, or a moment earlier', async () => {
    const { takeTurn } = open()
    await takeTurn('a')
    vi.advanceTimersByTime(2_949)
    await expect(takeTurn('a')).rejects.toBeInstanceOf(RateExceeded)
    vi.advanceTimersByTime(1)
    await takeTurn('a')
  })

  test('a refused turn does not reset the clock, and says when to come again', async () => {
    const { takeTurn } = open()
    await takeTurn('a')
    vi.advanceTimersByTime(1_000)
    const refused = takeTurn('a')
    await expect(refused).rejects.toMatchObject({
      message: 'Too many requests',
      headers: { 'retry-after': '2' },
    })
    vi.advanceTimersByTime(2_000)
    await takeTurn('a')
  })

  test('approval requests have a separate limit', async () => {
    const { takeTurn } = open()
    await Promise.all(['a', 'b', 'c'].map(takeTurn))
  })
})

const redis = await ownRedis()

describe.runIf(redis)('rate limits on a Redis that nodes share', async () => {
  if (redis === null) return
  const connections = await Promise.all([openRedis(redis.url, () => {}), openRedis(redis.url, () => {})])
  const [first, second] = [open(connections[0]), open(connections[1])]
  const node = (n: number) => (n % 2 ? first : second)
  afterAll(async () => {
    for (const connection of connections) connection.close()
    await redis.stop()
  })

  test('calls count over all nodes', async () => {
    const begunSeconds = Date.now() / 1_000
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => node(n).rateLimits.createRequest(peer('203.0.113.7'), NO_BODY)),
    )
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(10)
    const left = verdicts.map((verdict) => Number(verdict.headers['x-ratelimit-remaining']))
    expect(Math.max(...left)).toBe(9)
    for (const verdict of verdicts) {
      const reset = Number(verdict.headers['x-ratelimit-reset'])
      expect(reset).toBeGreaterThan(begunSeconds + 57)
      expect(reset).toBeLessThan(Date.now() / 1_000 + 61)
    }
  })

  test('of many nodes polling one request at once exactly one has the turn', async () => {
    const turns = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => node(n).takeTurn('a')))
    expect(turns.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('without its Redis a limited call fails with 503, and passes once it is back', async () => {
    await redis.stop()
    const limit = node(0).rateLimits.waitForApproval
    await expect(limit(peer('203.0.113.9'), NO_BODY)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(node(0).takeTurn('b')).rejects.toMatchObject({ code: 'unavailable' })
    await redis.start()
    const passes = () =>
      limit(peer('203.0.113.9'), NO_BODY).then(
        ({ allowed }) => allowed,
        () => false,
      )
    await expect.poll(passes).toBe(true)
  })
})

test('a setting gives an office behind one address more new requests', async () => {
  const { rateLimits } = openRateLimits({ redis: null, now: Date.now, requestsPerMinute: 12 })
  const ask = async () => (await rateLimits.createRequest(peer('192.0.2.77'), NO_BODY)).allowed
  for (let asked = 0; asked < 12; asked++) expect(await ask()).toBe(true)
  expect(await ask()).toBe(false)
})
