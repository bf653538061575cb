import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { Readiness } from '@keyferry/contract'
import { verifyRequest } from '@keyferry/crypto/request-signature'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { until } from '../../plumbing/test/until.ts'
import { type RecordedCall, RecordingApi, sendJson } from '../test/recording-api.ts'
import { SECRET, startTestWeb } from '../test/start-test-web.ts'
import { createLog } from './request-log.ts'

test('healthz needs nothing behind it; readyz says what is down', async () => {
  const api = new RecordingApi()
  const web = await startTestWeb(await api.listen())
  api.answer = (_call, response) => sendJson(response, 200, { status: 'ok', failing: [], warnings: [] })
  const ready = await fetch(`${web.address}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', failing: [], warnings: [] }])
  api.answer = (_call, response) =>
    sendJson(response, 503, { status: 'unavailable', failing: ['database'], warnings: [] })
  const half = await fetch(`${web.address}/readyz`)
  expect([half.status, await half.json()]).toEqual([
    503,
    { status: 'unavailable', failing: ['database'], warnings: [] },
  ])
  api.answer = (_call, response) =>
    sendJson(response, 200, { status: 'ok', failing: [], warnings: ['audit backlog'] })
  const warned = await fetch(`${web.address}/readyz`)
  expect([warned.status, await warned.json()]).toEqual([
    200,
    { status: 'ok', failing: [], warnings: ['audit backlog'] },
  ])
  await api.close()
  const refused = await fetch(`${web.address}/readyz`)
  expect([refused.status, await refused.json()]).toEqual([
    503,
    { status: 'unavailable', failing: ['api'], warnings: [] },
  ])
  const health = await fetch(`${web.address}/healthz`)
  expect([health.status, await health.json()]).toEqual([200, { status: 'ok', version: '0.0.0-test' }])
  await web.close()
})

test('concurrent calls share one check, and a later call makes another', async () => {
  const api = new RecordingApi()
  const web = await startTestWeb(await api.listen())
  const answers: (() => void)[] = []
  api.answer = (_call, response) =>
    void answers.push(() => sendJson(response, 200, { status: 'ok', failing: [], warnings: [] }))
  let arrived = 0
  const noted = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    if (request.socket.localPort === Number(new URL(web.address).port)) arrived += 1
  }
  subscribe('http.server.request.start', noted)
  const asked = Array.from({ length: 20 }, async () => (await fetch(`${web.address}/readyz`)).status)
  await until('twenty calls', () => arrived === asked.length && answers.length > 0)
  unsubscribe('http.server.request.start', noted)
  api.answer = (_call, response) => sendJson(response, 200, { status: 'ok', failing: [], warnings: [] })
  for (const answer of answers) answer()
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
  // Each check takes three calls.
  expect(api.forwarded.length).toBeLessThan(asked.length)
  api.answer = (_call, response) =>
    sendJson(response, 503, { status: 'unavailable', failing: ['database'], warnings: [] })
  expect((await fetch(`${web.address}/readyz`)).status).toBe(503)
  await Promise.all([web.close(), api.close()])
})

const SignedReadiness = Readiness.extend({ clock_off_seconds: z.int().optional() })

/** An API that takes signatures as the real one does. */
function checking(secret: string): RecordingApi {
  const api = new RecordingApi()
  const terms = () => ({ secrets: [secret], nowSeconds: Date.now() / 1_000, windowSeconds: 30 })
  const isTaken = ({ headers, method, path, body }: RecordedCall) => {
    const facts = { method, path, body, clientAddress: '', userId: 'nobody', tenantId: 'nobody' }
    return verifyRequest(String(headers['x-signature-v2']), facts, terms()) !== null
  }
  api.answer = (call, response) => {
    if (call.path === '/readyz') return sendJson(response, 200, { status: 'ok', failing: [], warnings: [] })
    return sendJson(response, isTaken(call) ? 404 : 401, { error: 'x', code: 'x' })
  }
  return api
}

test.each([
  ['a clock in step', 0, SECRET, []],
  ['a clock 20 s ahead', 20, SECRET, []],
  ['a clock a minute ahead', 60, SECRET, ['clock']],
  ['a clock an hour behind', -3_600, SECRET, ['clock']],
  ['another shared secret', 0, 'another secret of the tests, long enough', ['signature']],
])('%s: readyz says so, and the log once', async (_, offSeconds, secret, failing) => {
  const api = checking(secret)
  const lines: string[] = []
  const log = createLog('warn', { write: (line) => void lines.push(line) })
  const web = await startTestWeb(await api.listen(), {}, { now: () => Date.now() + offSeconds * 1_000, log })
  for (let round = 0; round < 2; round += 1) {
    const answer = await fetch(`${web.address}/readyz`)
    const { clock_off_seconds: clockOff = 0, ...body } = SignedReadiness.parse(await answer.json())
    const status = failing.length > 0 ? 'unavailable' : 'ok'
    expect([answer.status, body]).toEqual([failing.length > 0 ? 503 : 200, { status, failing, warnings: [] }])
    // The time on the way counts too.
    expect(Math.abs(clockOff - (failing.includes('clock') ? offSeconds : 0))).toBeLessThanOrEqual(10)
  }
  expect(lines).toHaveLength(failing.length)
  await Promise.all([web.close(), api.close()])
})

test('readyz is ready when one of several API nodes is, and not while this layer is about to stop', async () => {
  const [stopping, ready] = [new RecordingApi(), new RecordingApi()]
  const urls = await Promise.all([stopping, ready].map((api) => api.listen()))
  stopping.answer = (_call, response) =>
    sendJson(response, 503, { status: 'unavailable', failing: ['stopping'], warnings: [] })
  ready.answer = (_call, response) => sendJson(response, 200, { status: 'ok', failing: [], warnings: [] })
  const web = await startTestWeb('', { api: { urls } })
  const look = async () => {
    const answer = await fetch(`${web.address}/readyz`)
    return [answer.status, Readiness.parse(await answer.json()).failing]
  }
  for (let n = 0; n < 4; n++) expect(await look()).toEqual([200, []])
  const closed = web.close(1)
  expect(await look()).toEqual([503, ['stopping']])
  await closed
  await Promise.all([stopping.close(), ready.close()])
})
