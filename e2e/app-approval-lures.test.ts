import { createServer, type Server } from 'node:http'
import { createClient } from '@keyferry/contract/client'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApproval, createLibrary } from './app-library.ts'
import { closePage, expectAccessible, lookOf, openPage, readRequest } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const approve = (page: Page) =>
  page.getByRole('button', { name: /^(Approve( anyway)?|It is the same: approve)$/ })

async function expectActive(page: Page, active: boolean): Promise<void> {
  const isActive = async () => (await approve(page).getAttribute('aria-disabled')) === 'false'
  await expect.poll(isActive).toBe(active)
}

describe.skipIf(!hasBrowser())('a page of another site that wants an approval', () => {
  let server: RunningServer
  let browser: Browser
  let lure: Lure

  beforeAll(async () => {
    const env = { TRUST_PROXY: '127.0.0.1' }
    ;[server, browser, lure] = await Promise.all([startServer({ env }), sharedBrowser(), startLure()])
    await createLibrary(server.url)
  })

  afterAll(async () => {
    await closePages(browser)
    await Promise.all([server?.dispose(), lure?.close()])
  })

  async function ask() {
    const { id, verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app' })
    return { id, url: server.url + verification_uri_complete }
  }

  async function statusOf(id: string): Promise<string> {
    const params = { request_id: id }
    const { status } = await createClient(server.url)('GET', '/api/v1/requests/{request_id}/context', {
      params,
    })
    return status
  }

  test('opens it under the pointer: neither a double click nor a run of clicks decides', async () => {
    const { id, url } = await ask()
    const page = await openPage(browser)
    await page.goto(`${url}?from=link`)
    const { x, y } = await middleOf(approve(page))
    await page.goto(lure.to(url))
    await page.mouse.move(x - 5, y)
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.up()
    await page.waitForURL(/\/approve\//)
    await approve(page).waitFor()
    expect(await middleOf(approve(page))).toEqual({ x, y })
    for (let clicks = 0; clicks < 8; clicks++) {
      await page.mouse.click(x, y)
      await page.waitForTimeout(200)
    }
    await page.waitForTimeout(1_100)
    expect(await approve(page).getAttribute('aria-disabled')).toBe('true')
    expect(await statusOf(id)).toBe('pending')
    await closePage(page)
  })

  test('leads to it by a link: the page says so and asks once more', async () => {
    const { id, url } = await ask()
    const page = await openPage(browser)
    await page.goto(lure.to(url))
    await page.mouse.click(40, 40)
    await readRequest(page)
    await page.getByRole('alert').getByText('A web page linked you here.').waitFor()
    await expectAccessible(page)
    const denyLook = await lookOf(page.getByRole('button', { name: 'Deny' }))
    const approveLook = await lookOf(approve(page))
    await approve(page).click()
    const question = page.getByRole('dialog', { name: 'Approve anyway?' })
    await question.getByText('it may belong to someone else').waitFor()
    // The way back has the emphasis.
    expect(await lookOf(question.getByRole('button', { name: 'Cancel' }))).toEqual(denyLook)
    expect(await lookOf(question.getByRole('button', { name: 'Approve anyway' }))).toEqual(approveLook)
    await expectAccessible(page)
    expect(await statusOf(id)).toBe('pending')
    await question.getByRole('button', { name: 'Approve anyway' }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    await closePage(page)
  })

  test('asks from another network: both addresses are shown; from the same one, nothing is', async () => {
    const page = await openPage(browser)
    const far = await askApproval(server.url, { bundle: 'dev/app', address: '203.0.113.7' })
    await page.goto(server.url + far.verification_uri_complete)
    const warning = page.getByText('Not your network: from 203.0.113.7, you are at 127.0.0.1.')
    await warning.waitFor()
    const near = await askApproval(server.url, { bundle: 'dev/app', address: '127.0.0.1' })
    await page.goto(server.url + near.verification_uri_complete)
    await approve(page).waitFor()
    expect(await page.getByText('Not your network').count()).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(0)
    await closePage(page)
  })

  test('a page that is not looked at becomes active only a second after it is looked at again', async () => {
    const { url } = await ask()
    const page = await openPage(browser)
    await page.goto(url)
    await readRequest(page)
    await expectActive(page, true)
    await page.evaluate(`window.dispatchEvent(new Event('blur'))`)
    await expectActive(page, false)
    await readRequest(page)
    await expectActive(page, true)
    await closePage(page)
  })

  test('with the keyboard the buttons become active too', async () => {
    const { id, url } = await ask()
    const page = await openPage(browser)
    await page.goto(url)
    await expectActive(page, false)
    await page.keyboard.press('Tab')
    await approve(page).focus()
    await expectActive(page, true)
    await page.keyboard.press('Enter')
    await expect.poll(() => statusOf(id)).toBe('ready')
    await closePage(page)
  })
})

async function middleOf(button: Locator): Promise<{ x: number; y: number }> {
  const box = await button.boundingBox()
  if (box === null) throw new Error('the button is not shown')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

type Lure = { to: (url: string) => string; close: () => Promise<void> }

/** A page of another site whose whole area, pressed once, leads to the address that its own address names. */
async function startLure(): Promise<Lure> {
  const html = `<!doctype html><html lang="en"><title>Win</title>
    <body style="height:100vh"><h1>Double-click!</h1>
    <script>onmousedown = () => location.assign(new URLSearchParams(location.search).get('to'))</script>`
  const site: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(html)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const address = site.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    to: (url) => `http://localhost:${address.port}/?to=${encodeURIComponent(url)}`,
    close: () => new Promise((resolve) => site.close(() => resolve())),
  }
}
