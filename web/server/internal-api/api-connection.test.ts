import { afterAll, beforeAll, expect, test } from 'vitest'
import { RecordingApi } from '../../test/recording-api.ts'
import { type ApiConnection, connectApi } from './api-connection.ts'
import { createSigner } from './signed-call.ts'

const SECRET = 'a secret of the tests, long enough to sign'
const sign = createSigner(SECRET, Date.now)

let api: RecordingApi
let connection: ApiConnection

beforeAll(async () => {
  api = new RecordingApi()
  connection = connectApi({ url: await api.listen() }, sign)
})

afterAll(async () => {
  await connection.close()
  await api.close()
})

test('a call of this layer is signed without a user', async () => {
  await connection.call('GET', '/api/v1/auth/setup')
  expect(api.calls.at(-1)?.headers['x-signature-v2']).toMatch(/^t=\d+;n=/)
  expect(api.calls.at(-1)?.headers['x-user-id']).toBeUndefined()
})

test('a call that is signed for a person keeps that signature', async () => {
  const [method, path] = ['GET', '/api/v1/tenants'] as const
  const facts = { method, path, body: new Uint8Array(), clientAddress: null }
  const headers = sign({ userId: 'a-user', tenantId: 'a-tenant' }, facts)
  await connection.call(method, path, { headers })
  expect(api.calls.at(-1)?.headers).toMatchObject(headers)
})
