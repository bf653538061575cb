import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { freePort } from '@keyferry/plumbing/free-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedEvent } from '../web/test/identity-event.ts'
import { type IdentityProvider, startIdentityProvider } from '../web/test/identity-provider.ts'
import { callbackOf } from '../web/test/sign-in.ts'
import { TestBrowser } from '../web/test/test-browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const WEBHOOK_SECRET = `whsec_${Buffer.from('a webhook secret of the tests').toString('base64')}`

let provider: IdentityProvider
let server: RunningServer
let url: string

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  provider = await startIdentityProvider({ webUrl: url })
  const { issuer, clientId, clientSecret } = provider
  const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret }
  const env = { AUTH_MODE: 'oidc', PUBLIC_URL: url, IDENTITY_WEBHOOK_SECRET: WEBHOOK_SECRET, ...oidc }
  server = await startServer({ port, env })
})

afterAll(async () => {
  await server?.dispose()
  await provider?.close()
})

async function signIn(subject: string) {
  const browser = new TestBrowser()
  await browser.request(await callbackOf(browser, { webUrl: url, subject }))
  const headers = { cookie: `__session=${browser.cookies(url).get('__session')}`, origin: url }
  return createClient(url, (address, init) =>
    fetch(address, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } }),
  )
}

async function sendEvent(event: object): Promise<number> {
  const { body, headers } = signedEvent(event, { secret: WEBHOOK_SECRET })
  return (await fetch(`${url}/webhooks/identity`, { method: 'POST', body, headers })).status
}

test('a user whom the provider deleted has no session, cannot sign in, and has no open approval', async () => {
  const call = await signIn('leaver')
  const key = await call('POST', '/api/v1/keys', { body: { name: 'TOKEN', value: 'v' } })
  const bundle = await call('POST', '/api/v1/bundles', { body: { name: 'dev/app' } })
  const attached = { bundle_id: bundle.id, key_id: key.id }
  await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params: attached })
  const client = createClient(url)
  const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
  const { id } = await client('POST', '/api/v1/requests', { body: { client_pubkey } })
  await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
    params: { request_id: id },
    body: { bundle_id: bundle.id, include_keys: ['TOKEN'] },
  })
  const event = {
    type: 'user.deleted',
    data: { id: 'leaver', email: null, updated_at: '2026-01-31T12:00:00Z' },
  }
  expect([await sendEvent(event), await sendEvent(event)]).toEqual([200, 200])
  await expect(call('GET', '/api/v1/me')).rejects.toMatchObject({ status: 401 })
  const wait = client('GET', '/api/v1/requests/{request_id}/wait', { params: { request_id: id } })
  await expect(wait).rejects.toMatchObject({ status: 404 })
  const again = new TestBrowser()
  const back = await again.request(await callbackOf(again, { webUrl: url, subject: 'leaver' }))
  expect([back.status, again.cookies(url).get('__session')]).toEqual([403, undefined])
})

test('a changed e-mail address is stored, and the session continues', async () => {
  const call = await signIn('mover')
  expect(await sendEvent({ type: 'user.updated', data: { id: 'mover', email: 'moved@example.com' } })).toBe(
    200,
  )
  expect((await call('GET', '/api/v1/me')).email).toBe('moved@example.com')
})

test('the bodies in operations.md are events of an OIDC sender', async () => {
  const text = readFileSync(join(import.meta.dirname, '../docs/operations.md'), 'utf8')
  const blocks = [...text.matchAll(/```json\n(\{[^`]*"user\.[^`]*)```/g)].map(([, block = '']) =>
    JSON.parse(block),
  )
  const [deleted, updated] = blocks
  expect(blocks.map(({ type }) => type)).toEqual(['user.deleted', 'user.updated'])
  const call = await signIn(updated.data.id)
  expect(
    await sendEvent({ ...updated, data: { ...updated.data, updated_at: Math.ceil(Date.now() / 1_000) } }),
  ).toBe(200)
  expect((await call('GET', '/api/v1/me')).email).toBe(updated.data.email)
  expect(await sendEvent(deleted)).toBe(200)
  await expect(call('GET', '/api/v1/me')).rejects.toMatchObject({ status: 401 })
})
