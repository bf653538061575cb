import { describe, expect, test } from 'vitest'
import { answered } from '../../test/stage.ts'
import { CliError, EXIT } from '../base/cli-error.ts'
import type { ExchangeAnswer, ExchangeRequest } from '../base/exchange.ts'
import {
  createRequest,
  RefusedDevice,
  type RequestBody,
  releaseRequest,
  waitOnce,
  withdrawRequest,
} from './approval-requests.ts'

const SERVER = 'https://keyferry.example'
const ID = '01aa5ca1ab1e0ddba11c0ffee0ddba11'
const OWN = { server: SERVER, id: ID, verifier: 'v' }
const BODY: RequestBody = {
  client_pubkey: 'x',
  format: 'env',
  poll_challenge: 'x',
  release: ['code'],
  meta: {},
}
const CREATED = { id: ID, verification_uri_complete: `/approve/${ID}`, interval: 3, expires_in: 300 }

const answer = (status: number, body: object, retryAfterMs: number | null = null): ExchangeAnswer => ({
  ...answered(body, status),
  retryAfterMs,
})

/** A server that gives one answer and records its calls. */
function scene(given: ExchangeAnswer) {
  const asked: ExchangeRequest[] = []
  const exchange = async (request: ExchangeRequest) => {
    asked.push(request)
    return given
  }
  return { asked, exchange }
}

const created = async (body: object) =>
  await createRequest(scene(answer(201, { ...CREATED, ...body })).exchange, SERVER, BODY)

test.each([
  ['one below the least', { interval: 0, expires_in: 0 }, 1_000, 1_000],
  ['the least', { interval: 1, expires_in: 1 }, 1_000, 1_000],
  ['the most', { interval: 60, expires_in: 86_400 }, 60_000, 86_400_000],
  ['one above the most', { interval: 61, expires_in: 86_401 }, 60_000, 86_400_000],
])('seconds are kept within their limits: %s', async (_, body, intervalMs, lifetimeMs) => {
  expect(await created(body)).toMatchObject({ intervalMs, lifetimeMs })
})

test('a request says how it can be approved', async () => {
  const bound = { approvalUrl: `${SERVER}/approve/${ID}`, userCode: null, isBound: true, mayLeave: false }
  expect(await created({ assurance: 'bound' })).toMatchObject({ ...bound, kind: undefined, epoch: null })
  expect(await created({ assurance: 'compat' })).toMatchObject({ isBound: false })
  const own = { kind: 'names', may_leave: true, epoch: 'e', user_code: 'BCDF-GHJK' }
  expect(await created(own)).toMatchObject({
    kind: 'names',
    mayLeave: true,
    epoch: 'e',
    userCode: 'BCDF-GHJK',
  })
})

test('only the short link of the same request is shown', async () => {
  const short = '/a/AapcoaseDduhHA_-4N26EQ'
  expect((await created({ verification_uri_short: short })).shownUrl).toBe(SERVER + short)
  expect((await created({ verification_uri_short: `${short}x` })).shownUrl).toBe(`${SERVER}/approve/${ID}`)
})

test('a remembered approval needs no person', async () => {
  const remembered = { expires_at: '2030-01-31T18:30:00Z', uses_left: 47 }
  const asked = created({ assurance: 'local', remembered })
  expect(await asked).toMatchObject({
    remembered: { expiresAtMs: Date.parse(remembered.expires_at), usesLeft: 47, isTask: false },
    isBound: true,
  })
  expect(await created({ remembered: { ...remembered, task: true } })).toMatchObject({
    remembered: { isTask: true },
  })
  await expect(created({ assurance: 'local' })).rejects.toMatchObject({ exitCode: EXIT.refused })
})

test.each([
  ['a short id', { id: 'a'.repeat(15) }, 'request id'],
  ['a long id', { id: 'a'.repeat(129) }, 'request id'],
  ['a time below zero', { interval: -1 }, 'interval'],
  ['a lifetime that is not a number', { expires_in: 'soon' }, 'expires_in'],
  ['a check code that is not text', { user_code: 1 }, 'check code'],
  ['an epoch that is not text', { epoch: 1 }, 'epoch'],
])('%s is refused', async (_, body, what) => {
  await expect(created(body)).rejects.toMatchObject({
    exitCode: EXIT.refused,
    message: `the server sent an invalid ${what}`,
  })
})

test.each(['a'.repeat(16), 'a'.repeat(128)])('an id of 16 to 128 letters is accepted: %s', async (id) => {
  expect((await created({ id, verification_uri_complete: `/approve/${id}` })).id).toBe(id)
})

test('an error names the field of a request that the server does not know', async () => {
  const refused = async (status: number, field: string) => {
    const { exchange } = scene(answer(status, { error: 'no', code: 'invalid', details: { field } }))
    return await createRequest(exchange, SERVER, BODY).catch((error: unknown) => error)
  }
  expect(await refused(400, 'device')).toBeInstanceOf(RefusedDevice)
  expect(await refused(409, 'device')).toMatchObject({ message: `${SERVER} refused: no (409)` })
  expect(await refused(400, 'kind')).toMatchObject({
    message: `${SERVER} does not know this kind of request`,
  })
  expect(await refused(409, 'kind')).toMatchObject({ message: `${SERVER} refused: no (409)` })
  expect(await refused(400, 'meta')).toMatchObject({ message: `${SERVER} refused: no (400)` })
})

test('a poll names the known state and the interval, and waits 45 s', async () => {
  const { asked, exchange } = scene(answer(200, { status: 'pending', needs: 'release', release_by: 'code' }))
  const call = { ...OWN, intervalMs: 2_600, epoch: null }
  expect(await waitOnce(exchange, call, 'none')).toMatchObject({ kind: 'pending', needs: 'code' })
  await waitOnce(exchange, { ...call, epoch: 'e' }, 'code')
  const path = `${SERVER}/api/v1/requests/${ID}/wait`
  expect(asked).toEqual(
    ['interval=3&known=none', 'interval=3&known=code&epoch=e'].map((query) => ({
      method: 'GET',
      url: `${path}?${query}`,
      headers: { 'x-poll-verifier': 'v' },
      timeoutMs: 45_000,
      maxBodyBytes: 12 * 1024 * 1024,
    })),
  )
})

test.each([
  [404, { exitCode: EXIT.expired }],
  [403, { exitCode: EXIT.refused }],
])('a poll ends with an error after status %i', async (status, error) => {
  const { exchange } = scene(answer(status, {}))
  await expect(waitOnce(exchange, { ...OWN, intervalMs: 1_000, epoch: null }, 'none')).rejects.toMatchObject(
    error,
  )
})

test.each([
  [429, 1_500, { error: 'slow down' }, 'slow down, wait 2 s'],
  [429, null, { error: 'slow down' }, 'slow down'],
  [503, 1_500, {}, 'status 503'],
  [500, null, {}, 'status 500'],
])('a poll is repeated after status %i with Retry-After %s', async (status, retryAfterMs, body, reason) => {
  const { exchange } = scene(answer(status, body, retryAfterMs))
  const later = await waitOnce(exchange, { ...OWN, intervalMs: 1_000, epoch: null }, 'none')
  expect(later).toEqual({ kind: 'later', retryAfterMs, reason })
})

describe('withdrawing a request', () => {
  test.each([
    [200, {}, 'withdrawn'],
    [200, { left: true }, 'left'],
    [404, {}, null],
    [409, {}, null],
  ])('status %i %j gives %s', async (status, body, done) => {
    expect(await withdrawRequest(scene(answer(status, body)).exchange, OWN)).toBe(done)
  })

  test('times out after 1 s, with or without leave', async () => {
    const { asked, exchange } = scene(answer(200, {}))
    await withdrawRequest(exchange, OWN)
    await withdrawRequest(exchange, OWN, { leaves: true })
    expect(asked.map(({ url, timeoutMs }) => [url, timeoutMs])).toEqual([
      [`${SERVER}/api/v1/requests/${ID}/withdraw`, 1_000],
      [`${SERVER}/api/v1/requests/${ID}/withdraw?leave=1`, 1_000],
    ])
  })

  test('any other status is an error', async () => {
    const { exchange } = scene(answer(403, {}))
    await expect(withdrawRequest(exchange, OWN)).rejects.toBeInstanceOf(CliError)
  })
})

describe('returning an approval', () => {
  test.each([
    [200, {}, null, null],
    [400, { code: 'release_wrong' }, null, 'that is not the code of the page'],
    [
      400,
      { code: 'release_wrong', details: { attempts_left: 2 } },
      null,
      'that is not the code of the page; 2 tries left',
    ],
    [
      400,
      { code: 'release_wrong', details: { attempts_left: 1 } },
      null,
      'that is not the code of the page; one try left',
    ],
    [409, { code: 'release_expired' }, null, 'this code is too old; get a new one on the page'],
    [
      409,
      { code: 'plan_changed' },
      null,
      'the library changed, so nothing was stored; approve the new plan on the page',
    ],
    [404, {}, null, 'this request needs no code any more'],
    [409, {}, null, 'this request needs no code any more'],
    [503, {}, null, 'the server is busy; try again in 1 s'],
    [429, {}, 1_001, 'the server is busy; try again in 2 s'],
  ])('status %i %j with Retry-After %s gives %s', async (status, body, retryAfterMs, said) => {
    const { exchange } = scene(answer(status, body, retryAfterMs))
    expect(await releaseRequest(exchange, OWN, 's')).toBe(said)
  })

  test('times out after 10 s, with or without keep', async () => {
    const { asked, exchange } = scene(answer(200, {}))
    await releaseRequest(exchange, OWN, 's')
    await releaseRequest(exchange, OWN, 's', { keep: true })
    expect(asked.map(({ body, timeoutMs }) => [body, timeoutMs])).toEqual([
      ['{"secret":"s"}', 10_000],
      ['{"secret":"s","keep":true}', 10_000],
    ])
  })

  test('any other status is an error', async () => {
    const { exchange } = scene(answer(403, {}))
    await expect(releaseRequest(exchange, OWN, 's')).rejects.toBeInstanceOf(CliError)
  })
})
