import { afterEach, beforeEach, expect, test } from 'vitest'
import { PERSON, type RecordedCall, RecordingApi, sendJson } from '../../test/recording-api.ts'
import { sendRaw, startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

let api: RecordingApi
let apiUrl: string
let web: Web

beforeEach(async () => {
  api = new RecordingApi()
  apiUrl = await api.listen()
  web = await startTestWeb(apiUrl)
})

afterEach(async () => {
  await Promise.all([web.close(), api.close()])
})

const nothing = (): void => undefined

async function onlyCall(): Promise<RecordedCall> {
  await expect.poll(() => api.forwarded.length).toBe(1)
  const [only] = api.forwarded
  if (!only) throw new Error('nothing reached the API')
  return only
}

test('another scheme than Bearer is not forwarded', async () => {
  await fetch(`${web.address}/api/v1/machine`, { headers: { authorization: 'Basic a2Z0OnBhc3M=' } })
  expect((await onlyCall()).headers['authorization']).toBeUndefined()
})

test('the signature covers the body byte for byte', async () => {
  const body = '{"name":"dev/ä","description":"\\u0000 kept"}'
  const headers = { 'content-type': 'application/json' }
  await fetch(`${web.address}/api/v1/bundles?x=%20`, { method: 'POST', body, headers })
  const reached = await onlyCall()
  expect(reached.body.toString()).toBe(body)
  expect(reached.path).toBe('/api/v1/bundles?x=%20')
})

test.each([
  ['in another case', 'x-USER-id: intruder'],
  ['with underscores', 'X_User_ID: intruder'],
  ['of the tenant', 'X-Tenant-Id: intruder'],
  ['of the signature', 'X-Signature: intruder'],
  ['of the second signature', 'x-signature-V2: intruder'],
  ['of a proxy for the user', 'X-Forwarded-User: intruder'],
  ['of a proxy', 'Forwarded: for=intruder'],
  ['of a proxy, plain', 'X-Real-IP: intruder'],
  ['of the client address', 'X-Client-Address: intruder'],
  ['in a cookie', 'Cookie: __session=intruder'],
  ['in the reserved header', 'Authorization: Bearer intruder'],
])('an identity header %s never reaches the API', async (_how, header) => {
  const host = new URL(web.address).host
  const head = `GET /api/v1/keys HTTP/1.1\nHost: ${host}\n${header}\nConnection: close\n\n`
  expect(await sendRaw(web.address, head)).toMatch(/^HTTP\/1\.1 200 /)
  const { rawHeaders } = await onlyCall()
  expect(rawHeaders.join('\n')).not.toContain('intruder')
})

test.each([
  ['with the same spelling', 'X-User-ID: a\nX-User-ID: a'],
  ['spelt in two cases', 'X-User-ID: a\nx-user-id: b'],
  ['spelt with an underscore', 'X-User-ID: a\nX_USER_ID: b'],
  ['of the signature', 'X-Signature: a\nx_signature: b'],
  ['with a bearer token', 'Authorization: Bearer a\nauthorization: Bearer b'],
])('two identity headers of one kind, %s, are refused', async (_how, headers) => {
  const host = new URL(web.address).host
  const head = `GET /api/v1/keys HTTP/1.1\nHost: ${host}\n${headers}\nConnection: close\n\n`
  const answer = await sendRaw(web.address, head)
  expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  expect(answer).toContain('{"error":"Unauthorized","code":"unauthorized"}')
  expect(api.forwarded).toEqual([])
})

test.each(['http://127.0.0.1/api/v1/keys', 'api/v1/keys', '*', 'x:/api/v1/keys'])(
  'the request target %s is refused',
  async (target) => {
    const method = target === '*' ? 'OPTIONS' : 'GET'
    const head = `${method} ${target} HTTP/1.1\nHost: ${new URL(web.address).host}\nConnection: close\n\n`
    expect(await sendRaw(web.address, head)).toMatch(/^HTTP\/1\.1 400 /)
    expect(api.calls).toEqual([])
  },
)

test("the client's address is the peer's, not the one that the client names", async () => {
  await fetch(`${web.address}/api/v1/keys`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  expect((await onlyCall()).headers['x-forwarded-for']).toBe('127.0.0.1')
})

test("the client's address is taken from a trusted proxy", async () => {
  await web.close()
  web = await startTestWeb(apiUrl, { trustProxy: ['127.0.0.1'] })
  await fetch(`${web.address}/api/v1/keys`, { headers: { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' } })
  expect((await onlyCall()).headers['x-forwarded-for']).toBe('203.0.113.9')
})

test('status, body and the headers that matter come back', async () => {
  api.answer = (_call, response) => {
    response.writeHead(429, { 'retry-after': '7', 'x-ratelimit-limit': '10', 'x-total-count': '3' })
    response.end('{"error":"Too many requests"}')
  }
  const answer = await fetch(`${web.address}/api/v1/keys`)
  expect(answer.status).toBe(429)
  expect(await answer.text()).toBe('{"error":"Too many requests"}')
  expect(answer.headers.get('retry-after')).toBe('7')
  expect(answer.headers.get('x-ratelimit-limit')).toBe('10')
  expect(answer.headers.get('x-total-count')).toBe('3')
})

test('both hops log the same request id, and the caller gets it', async () => {
  const answer = await fetch(`${web.address}/api/v1/keys`, { headers: { 'x-request-id': 'chosen-outside' } })
  const { headers } = await onlyCall()
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers.get('x-request-id')).toBe(headers['x-request-id'])
})

test('the trace of a caller reaches the API', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await fetch(`${web.address}/api/v1/keys`, { headers: { traceparent } })
  expect((await onlyCall()).headers['traceparent']).toBe(traceparent)
})

test('an answer is streamed, not collected', async () => {
  let finish: () => void = nothing
  api.answer = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('first')
    finish = () => response.end('last')
  }
  const answer = await fetch(`${web.address}/api/v1/bundles/x/export`)
  const reader = answer.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first')
  finish()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('last')
})

test('a caller that disconnects ends the call to the API', async () => {
  api.answer = () => undefined
  const controller = new AbortController()
  const wait = fetch(`${web.address}/api/v1/requests/x/wait`, { signal: controller.signal }).catch(() => null)
  const waiting = await onlyCall()
  controller.abort()
  await wait
  await waiting.broken
})

test('a wait that is open when this layer stops is answered pending', async () => {
  api.answer = () => undefined
  const patient = await startTestWeb(apiUrl, { stopSeconds: 300 })
  const wait = fetch(`${patient.address}/api/v1/requests/x/wait`)
  await onlyCall()
  const [answer] = await Promise.all([wait, patient.close()])
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'pending' }])
})

test('HEAD never reaches the API: it would use up a ready ciphertext', async () => {
  const answer = await fetch(`${web.address}/api/v1/requests/x/wait`, { method: 'HEAD' })
  expect(answer.status).toBe(404)
  expect(api.calls).toEqual([])
})

test('an unavailable API is 503 with Retry-After, and its return is noticed', async () => {
  await api.close()
  const refused = await fetch(`${web.address}/api/v1/keys`)
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toEqual({ error: 'Keyferry API unavailable, try again', code: 'unavailable' })
  api = new RecordingApi()
  await api.listen(Number(new URL(apiUrl).port))
  expect((await fetch(`${web.address}/api/v1/keys`)).status).toBe(200)
})

test('a broken read is retried once with a new signature; a write is not retried', async () => {
  api.answer = (reached, response) => {
    const isFirst = api.forwarded.filter(({ path }) => path === reached.path).length === 1
    if (isFirst) response.destroy()
    else sendJson(response, 200, [])
  }
  expect((await fetch(`${web.address}/api/v1/keys`)).status).toBe(200)
  const [first, second] = api.forwarded.map(({ headers }) => headers['x-signature-v2'])
  expect(second).not.toBe(first)
  expect((await fetch(`${web.address}/api/v1/bundles/x`, { method: 'DELETE' })).status).toBe(503)
  expect(api.forwarded).toHaveLength(3)
})

test.each([502, 504])('a proxy that reaches no API (%i) is 503 with our error body', async (status) => {
  api.answer = (_call, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
  }
  const answer = await fetch(`${web.address}/api/v1/keys`, { method: 'POST' })
  expect([answer.status, await answer.json()]).toEqual([
    503,
    expect.objectContaining({ code: 'unavailable' }),
  ])
})

test.each(['announced', 'in chunks'])('a body that is too large, %s, is 413', async (how) => {
  const bytes = new Uint8Array(65_537).fill(0x20)
  const body = how === 'announced' ? bytes : new Blob([bytes]).stream()
  const headers = { 'content-type': 'application/json' }
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' }
  const answer = await fetch(`${web.address}/api/v1/bundles`, init)
  expect(answer.status).toBe(413)
  expect(await answer.json()).toEqual({ error: 'request body too large', code: 'too_large' })
  expect(api.forwarded).toEqual([])
})

test('the person works in the tenant switched to', async () => {
  const other = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
  api.answer = (_call, response) =>
    sendJson(response, 200, { tenant_id: other, name: 'team', role: 'member' })
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ tenant_id: other })
  const answer = await fetch(`${web.address}/api/v1/tenants/switch`, { method: 'POST', body, headers })
  expect(await answer.json()).toEqual({ tenant_id: other, name: 'team', role: 'member' })
  await fetch(`${web.address}/api/v1/keys`)
  expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(other)
})

test('joining a tenant by an invitation does not switch to it', async () => {
  const joined = { tenant_id: '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04', name: 'team', role: 'member' }
  api.answer = (_call, response) => sendJson(response, 200, joined)
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', body: JSON.stringify({ token: 'x' }), headers }
  expect(await (await fetch(`${web.address}/api/v1/invitations/accept`, init)).json()).toEqual(joined)
  await fetch(`${web.address}/api/v1/keys`)
  expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(PERSON.tenant_id)
})

test('someone who is no longer a member of their current tenant falls back to their personal one', async () => {
  const lost = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
  const headers = { 'content-type': 'application/json' }
  api.answer = (_call, response) => sendJson(response, 200, { tenant_id: lost, name: 't', role: 'member' })
  await fetch(`${web.address}/api/v1/tenants/switch`, { method: 'POST', body: '{}', headers })
  api.answer = (reached, response) => {
    if (reached.path === '/api/v1/tenants') return sendJson(response, 200, [{ id: PERSON.tenant_id }])
    const isLost = reached.headers['x-tenant-id'] === lost
    return isLost ? sendJson(response, 403, { error: 'Forbidden' }) : sendJson(response, 200, [])
  }
  expect((await fetch(`${web.address}/api/v1/keys`)).status).toBe(200)
  expect(api.forwarded.at(-1)?.headers['x-tenant-id']).toBe(PERSON.tenant_id)
})

test('a write refused for a lost tenant is not repeated in another', async () => {
  const lost = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
  const headers = { 'content-type': 'application/json' }
  api.answer = (_call, response) => sendJson(response, 200, { tenant_id: lost, name: 't', role: 'member' })
  await fetch(`${web.address}/api/v1/tenants/switch`, { method: 'POST', body: '{}', headers })
  api.answer = (reached, response) =>
    reached.path === '/api/v1/tenants'
      ? sendJson(response, 200, [{ id: PERSON.tenant_id }])
      : sendJson(response, 403, { error: 'Forbidden' })
  expect((await fetch(`${web.address}/api/v1/keys`, { method: 'POST', body: '{}', headers })).status).toBe(
    403,
  )
  expect(api.forwarded.filter(({ path }) => path === '/api/v1/keys')).toHaveLength(1)
})
