import { createClient, type EndpointClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../web/test/test-browser.ts'
import { ACCOUNTS } from './app-accounts.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PASSWORD = 'correct horse battery'

let server: RunningServer
let owner: TestBrowser
let kim: TestBrowser

beforeAll(async () => {
  server = await startServer({ env: ACCOUNTS })
  ;[owner, kim] = [new TestBrowser(), new TestBrowser()]
  await send(owner, '/set-up', {
    setup_code: ACCOUNTS.SETUP_CODE,
    email: 'owner@example.com',
    password: PASSWORD,
  })
  const body = { email: 'kim@example.com', role: 'owner' } as const
  const { token } = await callAs(owner)('POST', '/api/v1/invitations', { body })
  await send(kim, '/sign-up', { token, password: PASSWORD })
  await callAs(kim)('POST', '/api/v1/tenants', { body: { name: "kim's workspace" } })
})

afterAll(async () => {
  await server?.dispose()
})

async function send(browser: TestBrowser, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', origin: server.url }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  expect((await browser.request(server.url + path, init)).status).toBe(200)
}

function callAs(browser: TestBrowser, workspace?: string): EndpointClient {
  return createClient(server.url, async (url, init) => {
    const named = workspace === undefined ? {} : { 'keyferry-workspace': workspace }
    const headers = { ...Object.fromEntries(new Headers(init?.headers)), ...named, origin: server.url }
    return await browser.request(url instanceof Request ? url.url : url.toString(), { ...init, headers })
  })
}

async function workspacesOf(browser: TestBrowser): Promise<{ own: string; team: string }> {
  const tenants = await callAs(browser)('GET', '/api/v1/tenants')
  const own = tenants.find(({ name }) => name.startsWith('kim'))
  const team = tenants.find(({ name }) => name.startsWith('owner'))
  if (!own || !team) throw new Error('two workspaces expected')
  return { own: own.id, team: team.id }
}

const key = (name: string, value: string) => ({ body: { name, value, is_secret: false } })

test('a page writes to its own workspace, even if another page switches', async () => {
  const { own, team } = await workspacesOf(kim)
  await callAs(kim)('POST', '/api/v1/tenants/switch', { body: { tenant_id: team } })
  await callAs(kim, own)('POST', '/api/v1/keys', key('PLACE', 'own'))
  await callAs(kim)('POST', '/api/v1/tenants/switch', { body: { tenant_id: own } })
  await callAs(kim, team)('POST', '/api/v1/keys', key('PLACE', 'team'))
  for (const [workspace, value] of [
    [own, 'own'],
    [team, 'team'],
  ] as const) {
    const keys = await callAs(kim, workspace)('GET', '/api/v1/keys')
    expect(keys.map(({ value: stored }) => stored)).toEqual([value])
  }
})

test('a workspace that the person is no member of is 403, and nothing is written there', async () => {
  const { own } = await workspacesOf(kim)
  const before = await callAs(kim, own)('GET', '/api/v1/keys')
  for (const method of ['GET', 'POST'] as const) {
    const call = callAs(owner, own)
    const attempt =
      method === 'GET' ? call('GET', '/api/v1/keys') : call('POST', '/api/v1/keys', key('STRAY', 'x'))
    await expect(attempt).rejects.toMatchObject({ status: 403, code: 'forbidden' })
  }
  expect(await callAs(kim, own)('GET', '/api/v1/keys')).toEqual(before)
  const ofOwner = await callAs(owner)('GET', '/api/v1/keys')
  expect(ofOwner.map(({ name }) => name)).not.toContain('STRAY')
})
