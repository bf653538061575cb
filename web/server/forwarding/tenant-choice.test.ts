import { afterEach, beforeEach, expect, test } from 'vitest'
import { PERSON, RecordingApi, sendJson } from '../../test/recording-api.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

const TEAM = '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04'
const OTHER_TEAM = '0c1a8f7e-9a0d-4b8e-8f4e-5d5e9d1f7a02'

let api: RecordingApi
let web: Web

beforeEach(async () => {
  api = new RecordingApi()
  web = await startTestWeb(await api.listen())
})

afterEach(async () => {
  await Promise.all([web.close(), api.close()])
})

const call = (path: string, workspace: string | null, method = 'GET') =>
  fetch(`${web.address}/api/v1${path}`, {
    method,
    headers: workspace === null ? {} : { 'keyferry-workspace': workspace },
  })
const lastTenant = () => api.forwarded.at(-1)?.headers['x-tenant-id']

test('a call is signed for the workspace that it names, and the next one for the current workspace', async () => {
  for (const [path, method] of [
    ['/keys', 'GET'],
    ['/bundles', 'POST'],
    ['/bundles/x', 'DELETE'],
    ['/invitations/accept', 'POST'],
  ] as const) {
    expect((await call(path, TEAM, method)).status).toBe(200)
    expect(lastTenant()).toBe(TEAM)
  }
  await call('/keys', null)
  expect(lastTenant()).toBe(PERSON.tenant_id)
})

test('two pages work in two workspaces at the same time', async () => {
  const calls = Array.from({ length: 20 }, (_, at) => call(`/keys?at=${at}`, at % 2 ? TEAM : OTHER_TEAM))
  await Promise.all(calls)
  for (const { path, headers } of api.forwarded)
    expect(headers['x-tenant-id']).toBe(Number(path.split('=')[1]) % 2 ? TEAM : OTHER_TEAM)
  expect(api.forwarded).toHaveLength(20)
})

test.each(['GET', 'POST'])(
  'a %s refused in the named workspace is not repeated in another one',
  async (method) => {
    api.answer = (_call, response) => sendJson(response, 403, { error: 'Forbidden', code: 'forbidden' })
    const answer = await call('/keys', TEAM, method)
    expect([answer.status, await answer.json()]).toEqual([403, { error: 'Forbidden', code: 'forbidden' }])
    expect(api.forwarded.map(({ path }) => path)).toEqual(['/api/v1/keys'])
    api.answer = (_call, response) => sendJson(response, 200, [])
    await call('/keys', null)
    expect(lastTenant()).toBe(PERSON.tenant_id)
  },
)

test.each(['', 'team', `${TEAM}x`, `${TEAM}, ${OTHER_TEAM}`, '*'])(
  'the malformed workspace "%s" is refused before the API hears of the call',
  async (workspace) => {
    const answer = await call('/keys', workspace)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'Keyferry-Workspace must be the id of one workspace', code: 'invalid' },
    ])
    expect(api.forwarded).toEqual([])
  },
)

test('the header itself does not reach the API', async () => {
  await call('/keys', TEAM)
  expect(api.forwarded[0]?.headers).not.toHaveProperty('keyferry-workspace')
})
