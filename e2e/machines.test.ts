import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startServer } from './start-server.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server.dispose())

async function call(method: string, path: string, body?: unknown, token?: string) {
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, json: text === '' ? null : JSON.parse(text) }
}

test('a machine fetches values through both layers, until its token ends', async () => {
  const values = { DATABASE_URL: 'postgres://db/app', GREETING: 'grüße 🚢' }
  const entries = Object.entries(values).map(([name, value]) => ({ name, value }))
  await call('POST', '/imports', { bundle: 'prod/app', entries })
  const [bundle] = (await call('GET', '/bundles')).json
  const machine = (await call('POST', '/machines', { name: 'billing-service' })).json
  await call('PUT', `/machines/${machine.id}/bundles/${bundle.id}`, { scope: 'deliver' })
  const { token } = (await call('POST', `/machines/${machine.id}/tokens`, { expires_in_days: 1 })).json

  const own = await call('GET', '/machine', undefined, token)
  expect(own.json).toMatchObject({ name: 'billing-service', grants: [{ bundle: { name: 'prod/app' } }] })
  const keyPair = generateKeyPair()
  const wish = { client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'), bundle_id: 'prod/app' }
  const delivered = await call('POST', '/deliveries', wish, token)
  const box = open(Buffer.from(delivered.json.ciphertext_base64, 'base64'), keyPair)
  expect(JSON.parse(new TextDecoder().decode(box))).toEqual(values)

  // In local mode every call is the owner's: any bearer token takes that away.
  expect((await call('GET', '/bundles')).status).toBe(200)
  expect((await call('GET', '/bundles', undefined, 'no-token')).status).toBe(401)
  expect((await call('POST', '/tokens/reported', [{ token }])).status).toBe(204)
  expect(await call('POST', '/deliveries', wish, token)).toMatchObject({
    status: 401,
    json: { code: 'token_ended' },
  })
  expect(server.output()).not.toContain(token)
})
