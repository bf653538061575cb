import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'

test('what is sealed, and whose request it is, is found in no log and no file', async () => {
  const api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], maxPayloadBytes: 500 })
  const owner = await api.newOwner()
  const marked = 'MARKED-VALUE-7f31'
  const bundle = await newBundle(api, owner, { URL: marked, LONG: marked.repeat(40) })
  const client = new ApprovalClient(api)
  const requestId = await client.asked()
  const choose = (...include_keys: string[]) =>
    approveWith(api, owner, { requestId, bundle_id: bundle.id, include_keys })
  const answers = [
    await choose('LONG'),
    await choose('URL', 'NOPE'),
    await choose('URL'),
    await choose('URL'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([413, 400, 200, 409])

  const { dataDir } = api.settings
  const files = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)).toString('latin1'))
  expect(files.length).toBeGreaterThanOrEqual(3)
  for (const sink of [...files, ...answers.map(({ text }) => text)]) expect(sink).not.toContain(marked)
  expect(client.opened(await client.wait(requestId))).toEqual({ URL: marked })
  await api.close()
  expect(api.log()).toContain('encrypt-from-bundle')
  expect(api.log()).not.toContain(marked)
  expect(api.log()).not.toContain(requestId)
})
