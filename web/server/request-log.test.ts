import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RecordingApi, sendJson } from '../test/recording-api.ts'
import { startTestWeb } from '../test/start-test-web.ts'
import type { Web } from './main.ts'
import { createLog } from './request-log.ts'

const ERROR_LEVEL = 50

type Line = { level: number; msg: string; status?: number; route?: string; trace?: string }

let api: RecordingApi
let web: Web
let lines: Line[]

beforeEach(async () => {
  lines = []
  api = new RecordingApi()
  const log = createLog('debug', { write: (line) => void lines.push(JSON.parse(line)) })
  web = await startTestWeb(await api.listen(), {}, { log })
})

afterEach(async () => {
  await Promise.all([web.close(), api.close()])
})

const calls = () => lines.filter(({ msg }) => msg === 'call')

const failures = () => lines.filter(({ level }) => level >= ERROR_LEVEL)

/** Send the beginning of a call, and leave once `isTime`. */
async function leave(text: string, isTime: () => boolean): Promise<void> {
  const { hostname, port } = new URL(web.address)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(text.replaceAll('\n', '\r\n'))
  await expect.poll(isTime).toBe(true)
  socket.resetAndDestroy()
  // The end of the connection is older than this call, and is noticed first.
  await fetch(`${web.address}/healthz`)
}

test('a caller who disconnects before the answer is no failure', async () => {
  api.answer = () => undefined
  await leave('GET /api/v1/requests/x/wait HTTP/1.1\nHost: localhost\n\n', () => api.forwarded.length === 1)
  await expect
    .poll(() => lines)
    .toContainEqual(
      expect.objectContaining({ msg: 'caller left', route: '/api/v1/requests/:request_id/wait' }),
    )
  expect(failures()).toEqual([])
})

test('a caller who disconnects in the middle of its body is no failure', async () => {
  const head =
    'POST /api/v1/requests HTTP/1.1\nHost: localhost\nContent-Type: application/json\nContent-Length: 99'
  await leave(`${head}\n\n{"client`, () => true)
  expect(failures()).toEqual([])
  expect(api.forwarded).toEqual([])
})

test('a caller who disconnects in the middle of the answer is no failure', async () => {
  api.answer = (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000_000 })
    response.write(`[${' '.repeat(20_000)}`)
  }
  await leave('GET /api/v1/keys HTTP/1.1\nHost: localhost\n\n', () => api.forwarded.length === 1)
  expect(failures()).toEqual([])
})

test('an API that breaks a call stays a failure', async () => {
  api.answer = (_call, response) => response.destroy()
  const answer = await fetch(`${web.address}/api/v1/keys`, { method: 'POST' })
  expect(answer.status).toBe(503)
  expect(failures()).toMatchObject([{ level: ERROR_LEVEL, msg: 'failure', route: '/api/v1/keys' }])
})

test('an API that fails stays a failure', async () => {
  api.ensure = (response) => sendJson(response, 500, { error: 'internal error', code: 'internal' })
  expect((await fetch(`${web.address}/api/v1/keys`)).status).toBe(500)
  expect(failures()).toHaveLength(1)
})

test('a call that the API breaks is logged as a failure even if the caller has disconnected', async () => {
  const { promise: broken, resolve: breakOff } = Promise.withResolvers<void>()
  api.ensure = (response) => void broken.then(() => response.destroy())
  await leave('POST /api/v1/keys HTTP/1.1\nHost: localhost\n\n', () => api.calls.length === 1)
  breakOff()
  await expect.poll(() => failures().length).toBe(1)
})

test('a call is logged with the trace of its caller, and with nothing else that the header contains', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const sent = [`00-${trace}-00f067aa0ba902b7-01`, 'another text', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]
  for (const traceparent of sent) await fetch(`${web.address}/healthz`, { headers: { traceparent } })
  await expect.poll(() => calls().length).toBe(sent.length)
  expect(calls().map((line) => line.trace)).toEqual([trace, undefined, undefined])
})
