import type { Page } from 'playwright-core'
import { createLibrary } from './app-library.ts'
import type { Shot } from './screenshot-list.ts'
import { type RunningServer, startServer } from './start-server.ts'

const OWNER = { email: 'sam@example.com', password: 'correct horse battery' }
const SESSION_COOKIE = /(?:^|,\s*)((?:__\w+-)?__session)=([^;]+)/

/** The pages of a server that keeps accounts: before the first account, signed out, and as its owner. */
export async function peopleShots(): Promise<{ list: readonly Shot[]; servers: readonly RunningServer[] }> {
  const env = { AUTH_MODE: 'accounts' }
  const [fresh, server] = await Promise.all([startServer({ env }), startServer({ env })])
  const cookie = await post(server.url, '/set-up', OWNER)
  await createLibrary(server.url, undefined, { cookie, origin: server.url })
  const invitation = await invite(server.url, cookie)
  const asOwner = (path: string, then?: (page: Page) => Promise<void>) =>
    signedIn({ url: server.url, cookie }, path, then)
  const list = [
    { name: 'set-up', show: at(`${fresh.url}/set-up`) },
    { name: 'welcome', show: at(`${server.url}/`) },
    { name: 'sign-in', show: at(`${server.url}/sign-in`) },
    { name: 'sign-up', show: at(`${server.url}${invitation}`) },
    { name: 'sign-up-uninvited', show: at(`${server.url}/sign-up`) },
    { name: 'members', show: asOwner('/members') },
    {
      name: 'members-invited',
      show: asOwner('/members', async (page) => {
        await page.getByLabel('E-mail').fill(`lee${Date.now()}@example.com`)
        await page.getByRole('button', { name: 'Invite', exact: true }).click()
        await page.getByText('Send this link').waitFor()
      }),
    },
    { name: 'account-sessions', show: asOwner('/account') },
    { name: 'invite', show: asOwner(invitation) },
  ]
  return { list, servers: [fresh, server] }
}

function at(url: string) {
  return async (page: Page) => {
    await page.goto(url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText(/^Loading/).waitFor({ state: 'detached' })
  }
}

type Place = { url: string; cookie: string }

function signedIn({ url, cookie }: Place, path: string, then?: (page: Page) => Promise<void>) {
  return async (page: Page) => {
    const [name = '', value = ''] = cookie.split('=', 2)
    await page.context().addCookies([{ name, value, url }])
    await at(`${url}${path}`)(page)
    await then?.(page)
  }
}

/** @returns the session cookie that the answer sets */
async function post(url: string, path: string, body: object): Promise<string> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const [, name, value] = SESSION_COOKIE.exec(response.headers.get('set-cookie') ?? '') ?? []
  if (name === undefined || value === undefined)
    throw new Error(`${path} answered ${response.status} without a session`)
  return `${name}=${value}`
}

/** @returns the path of the invitation's link */
async function invite(url: string, cookie: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/invitations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, cookie },
    body: JSON.stringify({ email: 'kim@example.com', role: 'member' }),
  })
  const body: unknown = await response.json()
  if (typeof body === 'object' && body !== null && 'accept_path' in body) return String(body.accept_path)
  throw new Error(`inviting answered ${response.status}`)
}
