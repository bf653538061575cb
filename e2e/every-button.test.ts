import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { ACCOUNTS, type SessionCookie, setUpOwner } from './app-accounts.ts'
import { closePage, joinInBrowser, openPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { expectHonest, newWorld, rolePages, ruledPages } from './offered-buttons.ts'
import { editPages, expectHonestRequest, holdersPage } from './offered-edits.ts'
import { clientIn } from './page-client.ts'
import { type RunningServer, startServer } from './start-server.ts'

const RULES = {
  'the default': {},
  'members change': { changers: 'member' },
  'owners change': { changers: 'owner' },
  'bundles for production': { changers: 'member', production: 'yes' },
}

// The others do not differ in what a bundle takes.
const EDITED = new Set(['the default', 'members change'])

let server: RunningServer
let browser: Browser
let cookie: SessionCookie

beforeAll(async () => {
  const env = { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1' }
  ;[server, browser] = await Promise.all([startServer({ env }), sharedBrowser()])
  cookie = await setUpOwner(server.url)
})

afterAll(async () => {
  await closePages(browser)
  await server?.dispose()
})

test.skipIf(!hasBrowser())('every page offers exactly what the server allows', async () => {
  const owner = await openPage(browser)
  await owner.context().addCookies([{ ...cookie, url: server.url }])
  await owner.goto(server.url)
  const email = `${randomUUID().slice(0, 8)}@example.com`
  const invited = { email, role: 'member' } as const
  const { accept_path } = await clientIn(owner)('POST', '/api/v1/invitations', { body: invited })
  const member = await joinInBrowser(browser, server.url + accept_path)
  const session = (await member.context().cookies()).find(({ name }) => name.endsWith('__session'))
  if (session === undefined) throw new Error('no session')
  const pages = { owner, member }
  for (const [name, rule] of Object.entries(RULES))
    for (const role of ['member', 'owner'] as const) {
      const visit = async () => {
        const world = await newWorld(server.url, { owner: cookie, member: session }, rule)
        const ofRole =
          name === 'the default' ? [await holdersPage(world.owner), ...(await rolePages(world, role))] : []
        const edits = EDITED.has(name) ? editPages(world) : []
        return { by: world[role], pages: [...edits, ...ruledPages(world), ...ofRole] }
      }
      await expectHonest(pages[role], {
        seen: await visit(),
        tried: await visit(),
        what: `${role}, ${name}`,
      })
    }
  for (const rule of [{}, { approvers: 'owner' }]) {
    const world = await newWorld(server.url, { owner: cookie, member: session }, rule)
    for (const role of ['member', 'owner'] as const) await expectHonestRequest(pages[role], world, role)
  }
  await closePage(owner)
  await closePage(member)
})
