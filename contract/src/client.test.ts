import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CallError, createClient, createNamedClient, fillPath } from './client.ts'

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

test('a call by name fills the path, and sends the other fields in the query of a GET or in the body', async () => {
  const addresses = {
    listKeys: 'GET /api/v1/keys',
    updateKey: 'PUT /api/v1/keys/{key_id}',
    deleteKey: 'DELETE /api/v1/keys/{key_id}',
  } as const
  const call = createNamedClient(addresses, (input, init) =>
    fetch(typeof input === 'string' ? `${baseUrl}${input}` : input, init),
  )
  await call('listKeys', { query: 'a b' })
  expect(seen).toMatchObject({ method: 'GET', url: '/api/v1/keys?query=a+b' })
  await call('updateKey', { key_id: 'a/b', value: 'new' })
  expect(seen).toMatchObject({ method: 'PUT', url: '/api/v1/keys/a%2Fb' })
  expect(seen.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '15' })
  await call('deleteKey', { key_id: 'a' })
  expect(seen.headers['content-type']).toBeUndefined()
})
