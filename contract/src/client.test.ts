import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CallError, createClient, fillPath } from './client.ts'

let server: Server
let baseUrl: string
let seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'>

beforeAll(async () => {
  server = createServer((request, response) => {
    seen = request
    if (request.url?.startsWith('/api/v1/keys') === true) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    } else if (request.url?.includes('/wait') === true) {
      response.writeHead(429, { 'retry-after': '2' }).end('{"error":"Too many requests","code":"too_many"}')
    } else {
      response.writeHead(502).end('<html>')
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => server.close())

test('fills and encodes path parameters and leaves out absent query values', () => {
  expect(fillPath('/a/{x}/b', { x: 'c/d e' }, { q: 'ä', n: undefined })).toBe('/a/c%2Fd%20e/b?q=%C3%A4')
})

test('sends a JSON body with its content type, and none without a body', async () => {
  const call = createClient(baseUrl)
  expect(await call('GET', '/api/v1/keys', { query: { query: 'a b' } })).toEqual([])
  expect(seen).toMatchObject({ method: 'GET', url: '/api/v1/keys?query=a+b' })
  expect(seen.headers['content-type']).toBeUndefined()
  await call('POST', '/api/v1/keys', { body: { name: 'A', value: '' } })
  expect(seen.headers['content-type']).toBe('application/json')
})

test('an answer of failure carries status, code and the seconds to wait', async () => {
  const call = createClient(baseUrl)
  const error = await call('GET', '/api/v1/requests/{request_id}/wait', {
    params: { request_id: 'x' },
  }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CallError)
  expect(error).toMatchObject({
    status: 429,
    code: 'too_many',
    message: 'Too many requests',
    retryAfterSeconds: 2,
  })
})

test('a failure that is not JSON still is an error with its status', async () => {
  const call = createClient(baseUrl)
  await expect(call('GET', '/api/v1/me')).rejects.toMatchObject({ status: 502, code: 'unknown' })
})
