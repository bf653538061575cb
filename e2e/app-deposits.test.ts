import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SessionCookie, sessionHeaders } from './app-accounts.ts'
import { closePage, expectAccessible, expectNoSidewaysScroll, openPage, readRequest } from './app-page.ts'
import { startBoundServer } from './bound-server.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type Deposited, type Depositing, Depositor } from './depositor.ts'
import type { RunningServer } from './start-server.ts'

const VALUES: Deposited = {
  DATABASE_URL: 'planted-new-database',
  LOG_LEVEL: ['debug', false],
  PORT: ['4000', false],
  NEW_TOKEN: 'planted-token',
}

// Notes when the new plan came, and when its button became active after that.
const NOTE_PLAN = `
  const note = () => {
    if (!document.body.textContent.includes('Keep the changed value')) return
    window.plannedAt ??= performance.now()
    const [, button] = document.querySelectorAll('#decision button')
    if (button?.getAttribute('aria-disabled') === 'false') window.activeAt ??= performance.now()
  }
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true })
`

describe.skipIf(!hasBrowser())('the page of a deposit', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie

  beforeAll(async () => {
    ;[{ server, cookie }, browser] = await Promise.all([startBoundServer(), sharedBrowser()])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function opened(bundle: string, values: Deposited, options: Depositing = {}, width = 1280) {
    const terminal = new Depositor(server.url)
    const request = await terminal.deposit(bundle, values, options)
    const page = await openPage(browser, { viewport: { width, height: 860 } })
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + request.path)
    await page.getByRole('heading', { name: 'Store these values on the server?' }).waitFor()
    await page.getByRole('list', { name: 'Variables' }).waitFor()
    return { terminal, page, ...request }
  }

  test('it shows the plan, old and new values of what is public, and stores after the code', async () => {
    const { terminal, page, id } = await opened('dev/app', VALUES)
    const list = page.getByRole('list', { name: 'Variables' })
    await expect
      .poll(() => list.getByRole('listitem').allInnerTexts())
      .toEqual([
        expect.stringContaining('dev/worker keeps its value'),
        expect.stringMatching(/info\s*→\s*debug/),
        expect.stringMatching(/3000\s*→\s*4000/),
      ])
    await page.getByText('1 more new secret').click()
    await page.getByRole('list', { name: 'New secrets' }).getByText('NEW_TOKEN').waitFor()
    expect(await page.content()).not.toContain('planted-')
    await expectAccessible(page)
    await readRequest(page)
    await page.getByRole('button', { name: 'Store 4 variables' }).click()
    const code = await page.getByText(/^\d{3} \d{3}$/).innerText()
    expect((await terminal.release(id, code)).status).toBe(200)
    await page.getByRole('heading', { name: 'Stored' }).waitFor()
    expect((await terminal.wait(id)).body).toMatchObject({
      status: 'applied',
      deposit: { counts: { own: 2, update: 1, create: 1 } },
    })
    await page.getByRole('link', { name: 'See it in Activity' }).click()
    const story = page.getByRole('button', {
      name: /^Steps: \S+ approved a deposit of 4 variables into dev\/app$/,
    })
    await story.click()
    const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
    await expect
      .poll(() => steps.allInnerTexts())
      .toEqual([
        expect.stringMatching(
          /approved a deposit of 4 variables into dev\/app[\s\S]*deposit\.approved[\s\S]*\d+$/,
        ),
        expect.stringMatching(
          /stored a deposit in dev\/app: 3 created, 1 updated[\s\S]*deposit\.applied[\s\S]*\d+$/,
        ),
      ])
    await expectAccessible(page)
    await closePage(page)
  })

  test('a value of production and of other bundles is red, and asks twice', async () => {
    const { page } = await opened(
      'dev/new',
      { STRIPE_SECRET_KEY: 'planted-evil' },
      { replace: ['STRIPE_SECRET_KEY'] },
      360,
    )
    await page.getByText('Other bundles change too:').waitFor()
    await page.getByRole('alert').getByText('PRODUCTION', { exact: true }).waitFor()
    await page.getByText('Production and another environment share a secret: STRIPE_SECRET_KEY').waitFor()
    expect(await page.getByText('prod/shop/app').count()).toBeGreaterThan(0)
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await readRequest(page)
    await page.getByRole('button', { name: 'Store 1 variable' }).click()
    await page.getByRole('dialog').getByText('other bundles deliver').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('combobox', { name: 'What to do with STRIPE_SECRET_KEY' }).selectOption('own')
    await page.getByText('Other bundles change too:').waitFor({ state: 'detached' })
    expect(await page.getByText('Production and another environment').count()).toBe(0)
    await closePage(page)
  })

  test('what production no longer gets is red, comes first, and asks twice', async () => {
    const { terminal, page, id } = await opened(
      'prod/shop/mail',
      { SMTP_HOST: ['mail.example.com', false] },
      { detach: ['SMTP_PASSWORD'] },
      360,
    )
    await page.getByText('No longer delivered: SMTP_PASSWORD').waitFor()
    const rows = await page.getByRole('list', { name: 'Variables' }).getByRole('listitem').allInnerTexts()
    expect(rows).toEqual([
      expect.stringMatching(/SMTP_PASSWORD[\s\S]*no longer delivered, and not deleted[\s\S]*Removed/),
      expect.stringMatching(/smtp\.example\.com\s*→\s*mail\.example\.com/),
    ])
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await readRequest(page)
    await page.getByRole('button', { name: 'Store 1 variable, remove 1' }).click()
    await page.getByRole('dialog').getByText('Production no longer gets SMTP_PASSWORD').waitFor()
    await page.getByRole('button', { name: 'Approve anyway' }).click()
    const code = await page.getByText(/^\d{3} \d{3}$/).innerText()
    await terminal.release(id, code)
    expect((await terminal.wait(id)).body).toMatchObject({ deposit: { counts: { update: 1, detach: 1 } } })
    await page.getByText('2 variables changed in').waitFor()
    await closePage(page)
  })

  test('a name that the bundle does not deliver is named, and there is nothing to approve', async () => {
    const terminal = new Depositor(server.url)
    const { path } = await terminal.deposit('dev/worker', {}, { detach: ['NOT_HERE'] })
    const page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + path)
    await page.getByRole('heading', { name: 'Remove these variables?' }).waitFor()
    await page.getByText('The bundle dev/worker does not deliver the names to remove: NOT_HERE').waitFor()
    await readRequest(page)
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await closePage(page)
  })

  test('a plan that is old is replaced before anything is stored', async () => {
    const { terminal, page, id } = await opened('dev/stale', { STALE_ONE: 'planted-1' })
    const other = await opened('dev/stale', { STALE_ONE: 'planted-2' })
    await readRequest(other.page)
    await other.page.getByRole('button', { name: 'Store 1 variable' }).click()
    const code = await other.page.getByText(/^\d{3} \d{3}$/).innerText()
    await other.terminal.release(other.id, code)
    await readRequest(page)
    await page.evaluate(NOTE_PLAN)
    await page.getByRole('button', { name: 'Store 1 variable' }).click()
    await page.getByText('so nothing was stored').waitFor()
    const choice = page.getByRole('combobox', { name: 'What to do with STALE_ONE' })
    await expect.poll(() => choice.inputValue()).toBe('share')
    await page.getByText(/^Changed by \S+ .* The sender did not see this/).waitFor()
    // A second of the new plan, not the pause after the press before.
    const looked = () => page.evaluate<number>('window.activeAt - window.plannedAt')
    await expect.poll(looked).toBeGreaterThan(800)
    await expectAccessible(page)
    await choice.selectOption('own')
    await expect.poll(() => choice.inputValue()).toBe('own')
    await readRequest(page)
    await page.getByRole('button', { name: 'Store 1 variable' }).click()
    await terminal.release(id, await page.getByText(/^\d{3} \d{3}$/).innerText())
    expect((await terminal.wait(id)).body).toMatchObject({ deposit: { counts: { update: 1 } } })
    await closePage(page)
    await closePage(other.page)
  })

  test('a lure with a forged way back stores nothing, whatever the person clicks', async () => {
    const terminal = new Depositor(server.url)
    const { id, path } = await terminal.deposit('lure/app', { LURED: 'planted-evil' })
    const page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(`${server.url}${path}#lb=9.${'A'.repeat(43)}`)
    await page.getByRole('list', { name: 'Variables' }).waitFor()
    await readRequest(page)
    const unreached = page.waitForEvent('requestfailed')
    await page.getByRole('button', { name: 'Store 1 variable' }).click()
    await unreached
    for (const guess of ['000 000', 'x'.repeat(43)])
      expect((await terminal.release(id, guess)).status).toBe(400)
    // A wait of a terminal that knows of the hold is held to its end. A busy machine shows less here, and never fails.
    expect(await Promise.race([terminal.wait(id, 'loopback'), sleep(500, 'held')])).toBe('held')
    const headers = sessionHeaders(server.url, cookie)
    const bundles = await fetch(`${server.url}/api/v1/bundles?query=lure`, { headers })
    expect(await bundles.json()).toEqual([])
    await page.context().close()
  })

  test('a terminal that takes no approval back cannot be approved', async () => {
    const { page } = await opened('prod/shop/app', { STRIPE_SECRET_KEY: 'planted-evil' }, { release: [] })
    await page.getByText('You cannot approve this.').waitFor()
    await readRequest(page)
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await closePage(page)
  })
})
