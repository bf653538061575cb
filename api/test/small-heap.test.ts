import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsTo, expectError, type Identity, startTestApi, type TestApi } from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'

const ITEMS = 1_500
const ITEMS_AT_ONCE = 150
const VALUE = 'v'.repeat(64 * 1_024)
const SERVER = fileURLToPath(new URL('small-heap-server.ts', import.meta.url))

let server: ChildProcess
let api: Pick<TestApi, 'call'>
let owner: Identity
let bundleId: string
const names = Array.from({ length: ITEMS }, (_, index) => `V${index}`)

beforeAll(async () => {
  const filled = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], maxBodyBytes: 16 * 1_024 * 1_024 })
  owner = await filled.newOwner()
  bundleId = await filledBundle(filled)
  await filled.close()
  server = spawn(process.execPath, ['--max-old-space-size=48', SERVER, JSON.stringify(filled.settings)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (!server.stdout) throw new Error('the server has no standard output')
  const [address] = await once(createInterface(server.stdout), 'line')
  api = { call: callsTo(String(address)) }
}, 60_000)
afterAll(() => server.kill())

async function filledBundle(filled: TestApi): Promise<string> {
  const { json } = await filled.call('createBundle', { as: owner, body: { name: 'large' } })
  for (let from = 0; from < ITEMS; from += ITEMS_AT_ONCE) {
    const data = Object.fromEntries(names.slice(from, from + ITEMS_AT_ONCE).map((name) => [name, VALUE]))
    const params = { bundle_id: json.id }
    const body = { format: 'json', data }
    expect((await filled.call('importItems', { as: owner, params, body })).status).toBe(200)
  }
  return json.id
}

test('an approval far beyond the bound is 413, and a server with a small heap goes on', async () => {
  const asking = new ApprovalClient(api)
  const requestId = await asking.asked()
  const all = await approveWith(api, owner, { requestId, bundle_id: bundleId, include_keys: names })
  expectError(all, 413, 'approval payload exceeds 1048576 bytes', 'too_large')
  const few = { requestId, bundle_id: bundleId, include_keys: names.slice(0, 15) }
  expect((await approveWith(api, owner, few)).status).toBe(200)
  expect(asking.opened(await asking.wait(requestId))).toHaveProperty('V14', VALUE)
}, 30_000)
