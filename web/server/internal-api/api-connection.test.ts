import { signCaller } from '@keyferry/crypto/caller-signature'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RecordingApi, sendJson } from '../../test/recording-api.ts'
import { type ApiConnection, connectApi } from './api-connection.ts'
import { createSigner } from './signed-call.ts'

const SECRET = 'a secret of the tests, long enough to sign'
const sign = createSigner(() => SECRET, Date.now)

let api: RecordingApi
let connection: ApiConnection

beforeAll(async () => {
  api = new RecordingApi()
  connection = connectApi({ urls: [await api.listen()] }, sign)
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

test('a call for a person is signed for that person', async () => {
  const person = { userId: 'a-user', tenantId: 'a-tenant' }
  await connection.callFor(person)('GET', '/api/v1/tenants')
  expect(api.calls.at(-1)?.headers).toMatchObject({
    'x-user-id': 'a-user',
    'x-tenant-id': 'a-tenant',
    'x-signature': `sha256=${signCaller(person, SECRET)}`,
    'x-signature-v2': expect.stringMatching(/^t=\d+;n=/),
  })
})

describe('of several API nodes', () => {
  let nodes: RecordingApi[]
  let urls: string[]
  let several: ApiConnection
  beforeEach(async () => {
    nodes = [new RecordingApi(), new RecordingApi()]
    urls = await Promise.all(nodes.map((node) => node.listen()))
    several = connectApi({ urls }, sign)
  })
  afterEach(async () => {
    await several.close()
    await Promise.all(nodes.map((node) => node.close()))
  })

  const counts = () => nodes.map(({ calls }) => calls.length)
  const send = async (times: number) => {
    for (let n = 0; n < times; n++) {
      const answer = await several.send({ method: 'POST', path: '/api/v1/keys', headers: {} })
      await answer.body.dump()
    }
  }

  test('each gets its share', async () => {
    await send(6)
    expect(counts()).toEqual([3, 3])
  })

  test('another one gets the call when one refuses the connection', async () => {
    await nodes[0]?.close()
    await send(6)
    expect(counts()).toEqual([0, 6])
  })

  test('one that is about to stop gets no more calls', async () => {
    for (const node of nodes)
      node.answer = (_call, response) => {
        if (node === nodes[0]) response.setHeader('connection', 'close')
        sendJson(response, 200, {})
      }
    await send(6)
    expect(counts()).toEqual([1, 5])
  })

  test('a call that one has received is not repeated', async () => {
    for (const node of nodes) node.answer = (_call, response) => void response.destroy()
    await expect(send(1)).rejects.toMatchObject({ code: 'unavailable' })
    expect(counts().toSorted((a, b) => a - b)).toEqual([0, 1])
  })

  test('no one left is unavailable', async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await expect(send(1)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
