import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { announceEnd, createHttpServer, drain, type HttpServerOptions, isEnding } from './http-server.ts'

const JUNK = 500
const HOST = 'Host: 127.0.0.1\r\n'

let app: FastifyInstance
let sockets: Socket[] = []

async function start(options: Partial<HttpServerOptions> = {}): Promise<number> {
  app = createHttpServer({
    maxBodyBytes: 1_024,
    trusted: { proxies: [], header: 'X-Forwarded-For' },
    newRequestId: () => 'id',
    connectionBound: null,
    ...options,
  })
  app.get('/', async () => ({ ok: true }))
  app.post('/', async ({ body }) => ({ body }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await drain(app, { ms: 1_000, giveUp: () => app.server.closeAllConnections() })
})

/** A client that never closes its own side of the connection. */
function open(port: number, text = ''): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  if (text !== '') socket.write(text)
  sockets.push(socket)
  return socket
}

async function openMany(port: number, text: string): Promise<void> {
  await Promise.all(Array.from({ length: JUNK }, async () => await once(open(port, text), 'connect')))
}

async function answerOf(socket: Socket): Promise<string> {
  socket.setEncoding('utf8')
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

// Both ends are in this process, so the sockets of the clients are counted and taken off.
const serverFiles = () =>
  readdirSync('/proc/self/fd').length - sockets.filter(({ destroyed }) => !destroyed).length
const times = { headers: 400, request: 600 }

test.each([
  ['junk', 'junk\r\n\r\n'],
  ['half a head', `GET / HTTP/1.1\r\n${HOST}`],
  ['half a body', `POST / HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{`],
  ['nothing', ''],
])(`${JUNK} connections that send %s and never close give their files back`, async (_what, text) => {
  const port = await start({ times })
  const before = serverFiles()
  await openMany(port, text)
  await expect.poll(serverFiles).toBeLessThanOrEqual(before)
  expect(await answerOf(open(port, `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`))).toContain('200 OK')
})

test.each([
  ['junk', 'junk\r\n\r\n', '400 Bad Request'],
  ['a head that is too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431 Request Header'],
  ['a head that never ends', `GET / HTTP/1.1\r\n${HOST}`, '408 Request Timeout'],
  ['a broken escape', `GET /%zz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`, '400 Bad Request'],
])('%s gets an answer with our error body', async (_what, text, status) => {
  const answer = await answerOf(open(await start({ times }), text))
  expect(answer).toContain(`HTTP/1.1 ${status}`)
  const isTooLarge = status.startsWith('431')
  const error = isTooLarge
    ? { error: 'request headers are too large: in a browser, clear the cookies', code: 'too_large' }
    : { error: 'malformed request', code: 'invalid' }
  expect(answer).toContain(JSON.stringify(error))
})

const connections = async () =>
  await new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))

test('an address has no more connections than its bound, and one that closes makes room', async () => {
  const port = await start({ connectionBound: { perAddress: 5, except: [] } })
  const opened = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = open(port)
      await once(socket, 'connect')
      return socket
    }),
  )
  await expect.poll(connections).toBe(5)
  opened[0]?.destroy()
  await expect.poll(connections).toBe(4)
  expect(await answerOf(open(port, `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`))).toContain('200 OK')
})

test.each([['127.0.0.1'], ['127.0.0.0/8']])('the proxy %s has no bound', async (proxy) => {
  const port = await start({ connectionBound: { perAddress: 2, except: [proxy] } })
  await Promise.all(Array.from({ length: 6 }, async () => await once(open(port), 'connect')))
  await expect.poll(connections).toBe(6)
})

test('a server that ends says so, then refuses new connections and closes open ones with their next answer', async () => {
  const port = await start()
  const known = open(port, `GET / HTTP/1.1\r\n${HOST}\r\n`)
  expect(String((await once(known, 'data'))[0])).toContain('Connection: keep-alive')
  const announced = announceEnd(app, 0.05)
  expect(isEnding(app)).toBe(true)
  expect(await answerOf(open(port, `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`))).toContain('200 OK')
  await announced
  expect((await once(connect(port, '127.0.0.1'), 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED' })
  const drained = drain(app, { ms: 5_000, giveUp: () => undefined })
  known.write(`GET / HTTP/1.1\r\n${HOST}\r\n`)
  const answer = await answerOf(known)
  expect(answer).toContain('200 OK')
  expect(answer).toContain('Connection: close')
  await drained
})
