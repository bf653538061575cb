import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionCookie } from './app-accounts.ts'
import { closePage, expectAccessible, expectNoSidewaysScroll, openPage, readRequest } from './app-page.ts'
import { startBoundServer } from './bound-server.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { Attacker as Terminal } from './lure.ts'
import type { RunningServer } from './start-server.ts'

type Asking = Parameters<Terminal['askForNames']>[1]

describe.skipIf(!hasBrowser())('the page of a request for names', () => {
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

  async function opened(bundle: string, options: Asking & { suffix?: string; width?: number } = {}) {
    const { suffix = '', width = 1280, ...asking } = options
    const terminal = new Terminal(server.url)
    const request = await terminal.askForNames(bundle, asking)
    const page = await openPage(browser, { viewport: { width, height: 860 } })
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + request.path + suffix)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return { terminal, page, ...request }
  }

  test('it shows the names without values, and the terminal lists them after the code', async () => {
    const { terminal, page, id } = await opened('dev/app', { width: 360 })
    await page.getByRole('heading', { name: 'List these names?' }).waitFor()
    await expectNoSidewaysScroll(page)
    const list = page.getByRole('list', { name: 'Names to list' })
    await list.waitFor()
    const shown = await list.getByRole('listitem').allInnerTexts()
    expect(shown).toContainEqual(expect.stringMatching(/STRIPE_SECRET_KEY\s+secret/))
    expect(await page.content()).not.toContain('planted-')
    await expectAccessible(page)
    await readRequest(page)
    await page.getByRole('button', { name: `List ${shown.length} names` }).click()
    const code = await page.getByText(/^\d{3} \d{3}$/).innerText()
    expect((await terminal.wait(id, 'none')).body).toMatchObject({ status: 'pending', needs: 'release' })
    expect((await terminal.release(id, code)).status).toBe(200)
    const got = terminal.opened(await terminal.wait(id, 'code'))
    expect(got).toMatchObject({ kind: 'names', bundle: { name: 'dev/app' } })
    expect(got['names']).toHaveLength(shown.length)
    await page.getByRole('heading', { name: 'Listed' }).waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  test('a mistyped bundle is named; the person chooses another, which the page asks about, or denies', async () => {
    const { terminal, page, id } = await opened('dev/ap')
    await page.getByText(/requested dev\/ap, which is not in any of your workspaces/).waitFor()
    await expectAccessible(page)
    await readRequest(page)
    await page
      .getByRole('button', { name: 'List' })
      .or(page.getByRole('button', { name: 'Approve' }))
      .click()
    await page.getByText('Choose a bundle first.').waitFor()
    await page.getByRole('combobox', { name: 'Bundle' }).fill('dev/wor')
    await page.getByRole('option', { name: /^dev\/worker/ }).click()
    await page.getByRole('list', { name: 'Names to list' }).waitFor()
    await page.getByRole('button', { name: /^List \d+ names?$/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You are about to list dev/worker.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    expect((await terminal.wait(id)).body).toMatchObject({ code: 'request_denied' })
    await closePage(page)
  })

  test('a link on another page is red and asks twice', async () => {
    const { page } = await opened('dev/app', { suffix: '?from=link' })
    await page.getByText('A web page linked you here.').waitFor()
    await page.getByRole('list', { name: 'Names to list' }).waitFor()
    await readRequest(page)
    await page.getByRole('button', { name: 'List anyway' }).click()
    await page.getByRole('dialog').getByText('it may belong to someone else').waitFor()
    await closePage(page)
  })

  test('an agent is named with its reason', async () => {
    const meta = { agent: 'Some Agent', reason: 'to see what is missing' }
    const { page } = await opened('dev/app', { meta })
    await page.getByText('to see what is missing').waitFor()
    await page.getByText('It reads these names itself').waitFor()
    await closePage(page)
  })

  test('a terminal that takes no approval back cannot be approved', async () => {
    const { page } = await opened('dev/app', { release: [] })
    await page.getByText('You cannot approve this.').waitFor()
    await readRequest(page)
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await closePage(page)
  })
})
