import type { Page } from 'playwright-core'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { at, press, type World } from './shot.ts'
import { startServer } from './start-server.ts'

/** The pages of a server that keeps accounts: before the first account, signed out, and as its owner. */
export async function peopleShots(): Promise<World> {
  const env = ACCOUNTS
  const [fresh, server] = await Promise.all([startServer({ env }), startServer({ env })])
  const cookie = await setUpOwner(server.url)
  await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))
  const invitation = await invite(server.url, cookie)
  const asOwner = (path: string, then?: (page: Page) => Promise<void>) =>
    signedIn({ url: server.url, cookie }, path, then)
  const list = [
    { name: 'set-up', show: at(`${fresh.url}/set-up`) },
    { name: 'welcome', show: at(`${server.url}/`) },
    { name: 'sign-in', show: at(`${server.url}/sign-in`) },
    {
      name: 'sign-in-refused',
      show: at(`${server.url}/sign-in`, async (page) => {
        await page.getByLabel('E-mail').fill('kim@example.com')
        await page.getByLabel('Password', { exact: true }).fill('not the pass phrase')
        await press('Sign in')(page)
        await page.getByRole('alert').waitFor()
      }),
    },
    { name: 'sign-up-invalid', show: at(`${server.url}/invite/x`) },
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
    { name: 'group-new', show: asOwner('/members', press('New group')) },
    { name: 'account-sessions', show: asOwner('/settings') },
    { name: 'account-password', show: asOwner('/settings', press('Change password')) },
    { name: 'account-email', show: asOwner('/settings', press('Change e-mail')) },
    { name: 'invite', show: asOwner(invitation) },
    {
      name: 'two-sessions',
      show: async (page: Page) => {
        const domain = new URL(server.url).hostname
        await page.context().addCookies([{ ...cookie, domain, path: '/bundles' }])
        await signedIn({ url: server.url, cookie }, '/bundles')(page)
      },
    },
  ]
  return { list, servers: [fresh, server] }
}

type Place = { url: string; cookie: SessionCookie }

function signedIn({ url, cookie }: Place, path: string, then?: (page: Page) => Promise<void>) {
  return async (page: Page) => {
    await page.context().addCookies([{ ...cookie, url }])
    await at(`${url}${path}`)(page)
    await then?.(page)
  }
}

/** @returns the path of the invitation's link */
async function invite(url: string, cookie: SessionCookie): Promise<string> {
  const response = await fetch(`${url}/api/v1/invitations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...sessionHeaders(url, cookie) },
    body: JSON.stringify({ email: 'kim@example.com', role: 'member' }),
  })
  const body: unknown = await response.json()
  if (typeof body === 'object' && body !== null && 'accept_path' in body) return String(body.accept_path)
  throw new Error(`inviting answered ${response.status}`)
}
