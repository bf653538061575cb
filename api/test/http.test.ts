import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, signedHeaders, startTestApi, type TestApi } from './api.ts'

describe('what the server does with any request', () => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi('sqlite', { maxBodyBytes: 10_000 })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  const post = (body: string | Buffer, path = '/api/v1/bundles') =>
    fetch(`${api.address}${path}`, { method: 'POST', body: Buffer.from(body), headers: signedHeaders(owner) })
  const raw = async (request: string) => {
    const socket = connect(Number(new URL(api.address).port), '127.0.0.1')
    socket.write(request)
    return text(socket)
  }

  test.each([
    ['not JSON', '{', 'request body must be JSON'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'request body must be JSON'],
    ['nested too deeply', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`, 'request body is nested deeper than 16'],
    ['a name __proto__', '{"name":"a","__proto__":{}}', 'request body holds the name __proto__'],
  ])('a body that is %s answers 400', async (_, body, error) => {
    const response = await post(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error, code: 'invalid' })
  })

  test('the OpenAPI document names each endpoint of the API and the version', async () => {
    const { json } = await api.call('getOpenApi')
    expect(json).toMatchObject({
      openapi: '3.1.0',
      paths: { '/api/v1/requests': { post: expect.anything() } },
    })
    expect((await api.call('getOpenApi')).json).toEqual(json)
  })

  test('a megabyte of opening brackets is refused like any other', async () => {
    const wide = await startTestApi('sqlite')
    const as = await wide.newOwner()
    const response = await fetch(`${wide.address}/api/v1/bundles`, {
      method: 'POST',
      body: '['.repeat(1_000_000),
      headers: signedHeaders(as),
    })
    expect(response.status).toBe(400)
    await wide.close()
  })

  test.each(['http://elsewhere.example/healthz', '*', 'healthz', 'http://elsewhere.example/no/such'])(
    'a request target that does not begin with / is 400: %s',
    async (target) => {
      const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    },
  )

  test('an absent body counts as {}', async () => {
    expectError(await api.call('createBundle', { as: owner }), 400, 'name required', 'invalid')
  })

  test('the details name the wrong field', async () => {
    const { failure } = await api.call('createBundle', { as: owner, body: { name: 'a', tags: 1 } })
    expect(failure?.details).toEqual({ field: 'tags' })
  })

  test('a body over the bound is 413', async () => {
    const response = await post(' '.repeat(10_001))
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({ error: 'request body too large', code: 'too_large' })
  })

  test.each([
    [4_096, 400],
    [4_097, 413],
  ])(
    'an endpoint with its own size limit answers %d bytes of invalid JSON with %d',
    async (bytes, status) => {
      expect((await post('{'.repeat(bytes), '/api/v1/requests/x/release')).status).toBe(status)
    },
  )

  test.each(['/', '/api/v1', '/api/v2/keys', '/api/v1/Keys'])('%s is no route', async (path) => {
    const response = await fetch(api.address + path, { headers: signedHeaders(owner) })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: 'not found', code: 'not_found' })
  })

  test.each(['/api/v1/keys/%zz', `/api/v1/keys/${'a'.repeat(5_000)}`])(
    'the path %.30s is an error',
    async (path) => {
      const response = await fetch(api.address + path, { headers: signedHeaders(owner) })
      expect([400, 404, 414]).toContain(response.status)
      expect(await response.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) })
    },
  )

  test('a call that is not HTTP gets 400, endless headers get 431', async () => {
    expect(await raw('hello\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*{"error":"malformed request","code":"invalid"}$/,
    )
    expect(await raw(`GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /)
  })

  test('a second Host header is refused, on a route or none, and so is a target that names a host', async () => {
    for (const path of ['/healthz', '/nowhere']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: one\r\nhost: two\r\nConnection: close\r\n\r\n`
      expect(await raw(head)).toMatch(
        /^HTTP\/1\.1 400 [\s\S]*{"error":"more than one Host header","code":"invalid"}$/,
      )
    }
    expect(await raw('GET http://one/healthz HTTP/1.1\r\nHost: one\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*{"error":"request target must begin with \/","code":"invalid"}$/,
    )
    expect(await raw('GET /healthz HTTP/1.1\r\nHost: one\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 /,
    )
  })

  test('answers forbid caching, and carry the request id of the call', async () => {
    const { headers } = await api.call('getHealth', { headers: { 'x-request-id': 'abc-12345' } })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-request-id')).toBe('abc-12345')
    const other = await api.call('getHealth', { headers: { 'x-request-id': 'has blanks' } })
    expect(other.headers.get('x-request-id')).not.toBe('has blanks')
  })

  test('a logged call names its route by pattern, and nothing of what was sent', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01` }
    await api.call('getKey', { as: owner, params: { key_id: 'marked-id' }, query: { reveal: '0' }, headers })
    const line =
      api
        .log()
        .split('\n')
        .filter((each) => each.includes('/api/v1/keys/:key_id'))
        .at(-1) ?? ''
    const logged = JSON.parse(line)
    expect(logged).toMatchObject({ msg: 'call', method: 'GET', status: 404, tenant: owner.tenantId, trace })
    expect(Object.keys(logged).toSorted()).toEqual(
      ['level', 'method', 'ms', 'msg', 'request', 'route', 'status', 'tenant', 'trace', 'time'].toSorted(),
    )
    expect(api.log()).not.toContain('marked-id')
  })
})
