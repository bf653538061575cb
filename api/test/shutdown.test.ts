import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { startTestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { Receiver } from './webhook-receiver.ts'

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

test('a stopping API ends its call to a receiver and begins none; the next start makes that call again', async () => {
  const receiver = new Receiver()
  await receiver.start()
  onTestFinished(() => receiver.stop())
  receiver.answer = () => {}
  const privateTargets = ['127.0.0.1/32']
  const before = await startTestApi('sqlite', { privateTargets })
  const as = await before.newOwner()
  const body = { url: receiver.url, events: ['bundle.created'] }
  const params = { webhook_id: (await before.call('createWebhook', { as, body })).json.id }
  const { json } = await before.call('testWebhook', { as, params })
  await until('the first call', () => receiver.received.length === 1)

  await before.close()
  expect(before.log()).not.toMatch(/"level":[4-6]0/)
  const { dataDir, rootKeys } = before.settings
  const after = await startTestApi('sqlite', { privateTargets, dataDir, rootKeys })
  await until('the second call', () => receiver.received.length === 2)
  expect(receiver.ids).toEqual([json.message_id, json.message_id])
  const { json: messages } = await after.call('listWebhookMessages', { as, params })
  expect(messages).toMatchObject([{ state: 'sending', attempts: 2, last_error: 'interrupted' }])
  expect((await after.call('getWebhook', { as, params })).json.failures).toBe(0)
  await after.close()
})
