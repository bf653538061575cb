import { mkdtempSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { signRequest } from '@keyferry/crypto/request-signature'
import { randomToken } from '@keyferry/crypto/token'
import { describe, expect, test } from 'vitest'
import { SECRET, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient } from './approval-client.ts'

const FORWARDED = { 'x-forwarded-for': '203.0.113.7' }

describe('the address that a call counts for', () => {
  test('is the peer itself if no proxy is trusted, even if a header names another', async () => {
    const api = await startTestApi('sqlite')
    const client = new ApprovalClient(api)
    const { json } = await client.ask({}, FORWARDED)
    const context = await api.call('getRequestContext', { params: { request_id: json.id } })
    expect(context.json.requester_meta.ip).toBe('127.0.0.1')
    const answers = []
    for (let n = 0; n < 10; n++) answers.push(await client.ask({}, { 'x-forwarded-for': `203.0.113.${n}` }))
    expect(answers.map(({ status }) => status)).toEqual([...Array(9).fill(201), 429])
    await api.close()
  })

  test('is what a trusted proxy says, and not what was said to the proxy', async () => {
    const api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'] })
    const { json } = await new ApprovalClient(api).ask({}, { 'x-forwarded-for': '198.51.100.1, 203.0.113.7' })
    const context = await api.call('getRequestContext', { params: { request_id: json.id } })
    expect(context.json.requester_meta.ip).toBe('203.0.113.7')
    await api.close()
  })

  test('is what a web node signed, without a setting', async () => {
    const api = await startTestApi('sqlite')
    const signed = await askAs(api, { signedFor: '203.0.113.7', sent: '203.0.113.7' })
    expect(await ipOf(api, signed)).toBe('203.0.113.7')
    await api.close()
  })

  test.each([
    ['changed after signing', { signedFor: '203.0.113.7', sent: '203.0.113.8' }],
    ['signed by another secret', { signedFor: '203.0.113.7', sent: '203.0.113.7', secret: 'x'.repeat(32) }],
    ['that is no address', { signedFor: 'intruder', sent: 'intruder' }],
  ])('is the peer itself for an address %s', async (_what, parts) => {
    const api = await startTestApi('sqlite')
    expect(await ipOf(api, await askAs(api, parts))).toBe('127.0.0.1')
    await api.close()
  })

  test('counts for each signed address by itself', async () => {
    const api = await startTestApi('sqlite')
    const ask = async (address: string) => (await askAs(api, { signedFor: address, sent: address })).status
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push(await ask('203.0.113.7'))
    expect(statuses).toEqual([...Array(10).fill(201), 429])
    expect(await ask('198.51.100.7')).toBe(201)
    await api.close()
  })

  test('is the one that the web-facing layer names, behind a socket', async () => {
    const socketPath = join(mkdtempSync(join(tmpdir(), 'keyferry-socket-')), 'api.sock')
    const api = await startTestApi('sqlite', { listen: { socketPath } })
    const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
    const asked = await overSocket(socketPath, { path: '/api/v1/requests', body: { client_pubkey } })
    const context = await overSocket(socketPath, { path: `/api/v1/requests/${String(asked['id'])}/context` })
    expect(context['requester_meta']).toMatchObject({ ip: '203.0.113.7' })
    await api.close()
  })
})

test('a wait counts for its address, a hundred times a minute', async () => {
  const api = await startTestApi('sqlite')
  const client = new ApprovalClient(api)
  const answers = []
  for (let n = 0; n < 101; n++) answers.push(await client.wait('f'.repeat(32)))
  expect(answers.map(({ status }) => status)).toEqual([...Array(100).fill(404), 429])
  expect(answers[100]?.failure).toEqual({ error: 'Too many requests', code: 'too_many' })
  await api.close()
})

type Signed = { signedFor: string; sent: string; secret?: string }

async function askAs(api: TestApi, { signedFor, sent, secret = SECRET }: Signed) {
  const body = { client_pubkey: Buffer.from(generateKeyPair().publicKey).toString('base64') }
  const facts = {
    method: 'POST',
    path: '/api/v1/requests',
    body: Buffer.from(JSON.stringify(body)),
    clientAddress: signedFor,
    userId: '',
    tenantId: '',
  }
  const terms = { secret, nowSeconds: Math.floor(Date.now() / 1_000), nonce: randomToken() }
  const headers = { 'x-client-address': sent, 'x-signature-v2': signRequest(facts, terms) }
  return await api.call('createRequest', { body, headers })
}

async function ipOf(api: TestApi, { json }: { json: { id: string } }): Promise<string> {
  const context = await api.call('getRequestContext', { params: { request_id: json.id } })
  return context.json.requester_meta.ip
}

async function overSocket(
  socketPath: string,
  { path, body }: { path: string; body?: unknown },
): Promise<Record<string, unknown>> {
  const method = body === undefined ? 'GET' : 'POST'
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = { ...FORWARDED, 'content-type': 'application/json' }
  const call = request({ socketPath, path, method, headers }, (response) => resolve(text(response)))
  call.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  return JSON.parse(await promise)
}
