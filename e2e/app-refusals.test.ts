import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, OWNER, setUpOwner } from './app-accounts.ts'
import { closePage, expectAccessible, expectNoSidewaysScroll, openPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PHONE = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

describe.skipIf(!hasBrowser())('what the server refuses in the browser', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer({ env: ACCOUNTS }), sharedBrowser()])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  test('without sign-in there are no invitations: the settings say how to get a team', async () => {
    const local = await startServer()
    const page = await openPage(browser, PHONE)
    await page.goto(`${local.url}/members`)
    await page.getByText('This server has one user').waitFor()
    await page.getByText('AUTH_MODE=oidc').waitFor()
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await closePage(page)
    await local.dispose()
  })

  test('two session cookies: the page says so, clears both, and leads back through sign-in', async () => {
    const own = await setUpOwner(server.url)
    const page = await openPage(browser, PHONE)
    const domain = new URL(server.url).hostname
    await page.context().addCookies([
      { ...own, domain, path: '/' },
      { ...own, value: 'planted', domain, path: '/expiry' },
    ])
    const answer = await page.goto(`${server.url}/expiry?query=a`)
    expect(answer?.status()).toBe(401)
    await heading(page, 'Two session cookies').waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(page)
    await page.setViewportSize({ width: 1280, height: 860 })
    // A page that is drawn anew has its place at once.
    await page.reload()
    await heading(page, 'Two session cookies').waitFor()
    const mark = page.locator('svg').first()
    const place = await mark.boundingBox()
    await page.getByRole('button', { name: 'Clear the session cookies' }).click()
    await heading(page, 'Sign in').waitFor()
    await expect.poll(() => mark.boundingBox()).toEqual(place)
    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'What expires').waitFor()
    expect(page.url()).toMatch(/\/w\/[\w-]+\/expiry\?query=a$/)
    await closePage(page)
  })
})
