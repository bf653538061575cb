import { expect, test } from 'vitest'
import { startTestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

test('a stopping API answers open waits with pending at once; the request survives the restart', async () => {
  const trustProxy = ['127.0.0.1']
  const before = await startTestApi('sqlite', { trustProxy, stopSeconds: 300 })
  const owner = await before.newOwner()
  const bundle = await newBundle(before, owner, { URL: 'pg://s3cret' })
  const clients = Array.from({ length: 20 }, () => new ApprovalClient(before))
  const ids = await Promise.all(clients.map((client) => client.asked()))
  const waits = clients.map((client, n) => client.wait(ids[n] ?? ''))
  await before.untilWaiting(clients.length)

  await before.close()
  const answers = await Promise.all(waits)
  expect(answers.map(({ json }) => json)).toEqual(ids.map(() => ({ status: 'pending' })))

  const { dataDir, rootKeys } = before.settings
  const after = await startTestApi('sqlite', { trustProxy, dataDir, rootKeys })
  const [client] = clients
  const [requestId = ''] = ids
  const choice = { requestId, bundle_id: bundle.id, include_keys: ['URL'] }
  expect((await approveWith(after, owner, choice)).status).toBe(200)
  const answer = await client?.wait(requestId, {}, after)
  expect(answer && client?.opened(answer)).toEqual({ URL: 'pg://s3cret' })
  await after.close()
})
