import { createClient } from '@keyferry/contract/client'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApproval, createLibrary } from './app-library.ts'
import { closePage, inDialog, openPage, readRequest, type WatchedPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const CALM_MS = 600
const LOOKED_AT_MS = 1_000
/** Within this time, an approval by a press reaches the server. */
const ANSWER_MS = 500
const NOWHERE = { x: 0, y: 0, width: 0, height: 0 }

// Notes each press, each change of the page's size, and when the buttons came, on the clock that the page itself uses.
const NOTE = `
  window.presses = []
  window.resizedAt = 0
  const note = (event) => window.presses.push(event.timeStamp)
  for (const type of ['pointerdown', 'keydown']) addEventListener(type, note, true)
  addEventListener('resize', () => { window.resizedAt = performance.now() }, true)
  const isThere = () => [...document.querySelectorAll('button')].some((one) => /approve/i.test(one.textContent))
  new MutationObserver(() => { if (isThere()) window.cameAt ??= performance.now() })
    .observe(document, { childList: true, subtree: true })
`

const approve = (page: Page) =>
  page.getByRole('button', { name: /^(Approve( anyway)?|It is the same: approve)$/ })
const anyway = (page: Page) => inDialog(page, 'Approve anyway')
const isActive = async (page: Page) => (await approve(page).getAttribute('aria-disabled')) === 'false'
const becomesActive = (page: Page) => expect.poll(() => isActive(page)).toBe(true)

describe.skipIf(!hasBrowser())('presses that a person does not mean', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([
      startServer({ env: { TRUST_PROXY: '127.0.0.1' } }),
      sharedBrowser(),
    ])
    await createLibrary(server.url)
  })
  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function statusOf(id: string): Promise<string> {
    const params = { request_id: id }
    return (await createClient(server.url)('GET', '/api/v1/requests/{request_id}/context', { params })).status
  }

  async function asked() {
    const { id, verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app' })
    return { id, url: server.url + verification_uri_complete }
  }

  async function opened(options: BrowserContextOptions = {}, query = '') {
    const { id, url } = await asked()
    const page = await openPage(browser, options)
    await page.addInitScript(NOTE)
    await page.goto(url + query)
    await approve(page).waitFor()
    return { page, id }
  }

  /** Try until the presses came as fast as they were meant: a busy machine can pause, and a press after a pause counts.
   * No try may decide unless it paused. A machine that always pauses shows nothing, and does not fail. */
  async function expectNothing(attempt: () => Promise<{ page: WatchedPage; id: string; isFast: boolean }>) {
    for (let tries = 0; tries < 5; tries++) {
      const { page, id, isFast } = await attempt()
      await page.waitForTimeout(ANSWER_MS)
      const status = isFast ? await statusOf(id) : null
      await closePage(page)
      if (status === null) continue
      expect(status).toBe('pending')
      return
    }
  }

  test.each([4, 8, 12])('%d clicks a second, for three seconds', async (rate) => {
    await expectNothing(async () => {
      const { page, id } = await opened()
      const { x, y } = await middleOf(page)
      await page.mouse.move(x - 5, y)
      for (let clicks = 0; clicks < 3 * rate; clicks++) {
        await page.mouse.click(x, y)
        await page.waitForTimeout(1_000 / rate)
      }
      return { page, id, isFast: (await isRhythm(page)) && (await isSoon(page)) }
    })
  })

  test('an early click costs a moment, and the next one counts', async () => {
    const { page, id } = await opened()
    await readRequest(page)
    await page.mouse.click(...(await pointOf(page)))
    await becomesActive(page)
    await page.mouse.click(...(await pointOf(page)))
    await expect.poll(() => statusOf(id)).toBe('ready')
    await closePage(page)
  })

  test('a mouse that never moved over the page', async () => {
    const { page, id } = await opened()
    await page.waitForTimeout(LOOKED_AT_MS + 200)
    await page.mouse.click(...(await pointOf(page)))
    await page.waitForTimeout(CALM_MS)
    expect(await isActive(page)).toBe(false)
    expect(await statusOf(id)).toBe('pending')
    await closePage(page)
  })

  test('a press that ends on the other button, and a click of a script', async () => {
    const { page, id } = await opened()
    await readRequest(page)
    await becomesActive(page)
    const deny = await page.getByRole('button', { name: 'Deny' }).boundingBox()
    await page.mouse.move((deny?.x ?? 0) + 5, (deny?.y ?? 0) + 5)
    await page.mouse.down()
    await page.mouse.move(...(await pointOf(page)))
    await page.mouse.up()
    await page.waitForTimeout(CALM_MS)
    await approve(page).evaluate((button) => 'click' in button && button.click())
    await page.waitForTimeout(ANSWER_MS)
    expect(await statusOf(id)).toBe('pending')
    await closePage(page)
  })

  test('a double click whose second press falls on the second question', async () => {
    await expectNothing(async () => {
      const { page, id } = await opened({}, '?from=link')
      await becomesActiveAfterReading(page)
      const point = await pointOf(page)
      await page.evaluate('window.presses = []')
      await page.mouse.click(...point)
      const { x, y, width, height } = (await anyway(page).boundingBox()) ?? NOWHERE
      await page.mouse.click(x + width / 2, y + height / 2)
      return { page, id, isFast: await isRhythm(page) }
    })
    const { page, id } = await opened({}, '?from=link')
    await becomesActiveAfterReading(page)
    await approve(page).click()
    await anyway(page).click()
    await expect.poll(() => statusOf(id)).toBe('ready')
    await closePage(page)
  })

  test('a double click on a popup that closes itself at the first press', async () => {
    await expectNothing(async () => {
      const { page, id } = await opened()
      await becomesActiveAfterReading(page)
      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        page.evaluate("void open('about:blank')"),
      ])
      await popup.evaluate('onmousedown = () => close()')
      const point = await pointOf(page)
      await popup.mouse.move(...point)
      await Promise.all([popup.waitForEvent('close'), popup.mouse.down().catch(() => undefined)])
      await page.evaluate(
        "dispatchEvent(new Event('focus')); window.presses = []; window.shownAt = performance.now()",
      )
      await page.mouse.move(...point)
      await page.mouse.up()
      await page.mouse.click(...point)
      const [press = 0] = await page.evaluate<number[]>('window.presses')
      const shownAt = await page.evaluate<number>('window.shownAt')
      return { page, id, isFast: press - shownAt < LOOKED_AT_MS }
    })
  })

  test('taps through a navigation; then one tap is enough', async () => {
    await expectNothing(async () => {
      const { id, url } = await asked()
      const page = await openPage(browser, PHONE)
      await page.addInitScript(NOTE)
      await page.goto(url)
      const point = await pointOf(page)
      await page.goto(`${server.url}/sign-in`)
      await page.evaluate(`addEventListener('touchstart', () => location.assign(${JSON.stringify(url)}))`)
      await page.touchscreen.tap(...point)
      await approve(page).waitFor()
      for (let taps = 0; taps < 8; taps++) await page.touchscreen.tap(...point)
      return { page, id, isFast: (await isRhythm(page)) && (await isSoon(page)) }
    })
    const { page, id } = await opened(PHONE)
    await becomesActive(page)
    await page.touchscreen.tap(...(await pointOf(page)))
    await expect.poll(() => statusOf(id)).toBe('ready')
    await closePage(page)
  })

  test('a tap right after the phone was turned', async () => {
    await expectNothing(async () => {
      const { page, id } = await opened(PHONE)
      await becomesActive(page)
      await page.setViewportSize({ width: 844, height: 390 })
      await page.touchscreen.tap(...(await pointOf(page)))
      const [press = 0] = await page.evaluate<number[]>('window.presses')
      const resizedAt = await page.evaluate<number>('window.resizedAt')
      expect(resizedAt).toBeGreaterThan(0)
      return { page, id, isFast: press - resizedAt < LOOKED_AT_MS }
    })
  })

  test('Enter that is pressed since before the page came', async () => {
    const { id, url } = await asked()
    const page = await openPage(browser)
    await page.goto(`${server.url}/sign-in`)
    await page.keyboard.down('Enter')
    await page.goto(url)
    await readRequest(page)
    await becomesActive(page)
    await approve(page).focus()
    for (let repeats = 0; repeats < 10; repeats++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await page.waitForTimeout(ANSWER_MS)
    expect(await statusOf(id)).toBe('pending')
    await becomesActive(page)
    await page.keyboard.press('Enter')
    await expect.poll(() => statusOf(id)).toBe('ready')
    await closePage(page)
  })

  test('Tab and then Enter at once; the first Tab is the way to the decision', async () => {
    await expectNothing(async () => {
      const { page, id } = await opened()
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('Skip to the decision')
      for (const key of ['Enter', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
      const isFast = await isRhythm(page)
      if (isFast) expect(await focused(page)).toBe('It is the same: approve')
      return { page, id, isFast }
    })
  })
})

async function isRhythm(page: Page): Promise<boolean> {
  const times: number[] = await page.evaluate('window.presses')
  return times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) < CALM_MS)
}

/** Whether the first press came well before a person could have looked: one that comes later counts. */
async function isSoon(page: Page): Promise<boolean> {
  const [press = 0] = await page.evaluate<number[]>('window.presses')
  return press - (await page.evaluate<number>('window.cameAt')) < LOOKED_AT_MS / 2
}

async function becomesActiveAfterReading(page: Page): Promise<void> {
  await readRequest(page)
  await becomesActive(page)
}

async function middleOf(page: Page): Promise<{ x: number; y: number }> {
  const box = await approve(page).boundingBox()
  if (box === null) throw new Error('the button is not shown')
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

async function pointOf(page: Page): Promise<[x: number, y: number]> {
  const { x, y } = await middleOf(page)
  return [x, y]
}

function focused(page: Page): Promise<string | null> {
  return page.evaluate<string | null>('document.activeElement?.innerText')
}
