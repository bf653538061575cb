import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApproval, createLibrary } from './app-library.ts'
import {
  APPROVE,
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  readRequest,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

// Long enough for a busy machine to open the page and approve.
const LIFETIME_SECONDS = 40
const PHONE = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

async function expectReadable(page: WatchedPage): Promise<void> {
  await expectNoSidewaysScroll(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
  }
}

describe.skipIf(!hasBrowser())('on a phone, in both themes: a request that ends', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    const env = { TRUST_PROXY: '127.0.0.1', REQUEST_TTL: String(LIFETIME_SECONDS) }
    ;[server, browser] = await Promise.all([startServer({ env }), sharedBrowser()])
    await createLibrary(server.url)
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function open(prepare: (page: WatchedPage) => Promise<void> = async () => undefined) {
    const page = await openPage(browser, PHONE)
    await prepare(page)
    const { verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app' })
    await page.goto(server.url + verification_uri_complete)
    return page
  }

  test('soon: the page highlights the time left, then says that the request expired', async () => {
    const page = await open()
    await page.getByRole('button', { name: APPROVE }).waitFor()
    expect(await page.getByRole('timer').isVisible()).toBe(true)
    await expectReadable(page)
    await title(page, 'This request has expired').waitFor()
    await expectReadable(page)
    await closePage(page)
  })

  test('approved, but not fetched', async () => {
    const page = await open()
    await readRequest(page)
    await page.getByRole('button', { name: APPROVE }).click()
    await title(page, 'Approved').waitFor()
    await title(page, 'Approved, but not collected').waitFor()
    await expectReadable(page)
    await closePage(page)
  })

  test('for a person who is not allowed to answer it', async () => {
    const page = await open(async (opened) => {
      await opened.route('**/bundles', (route) =>
        route.fulfill({ status: 403, json: { error: 'Forbidden', code: 'forbidden' } }),
      )
    })
    await title(page, 'You cannot approve this request').waitFor()
    await expectReadable(page)
    await closePage(page)
  })
})
