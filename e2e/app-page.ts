import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PATIENCE_MS } from '../plumbing/test/until.ts'

const VIEWPORT = { width: 1280, height: 860 }

/** What the button of a plain approval says; the second where the person compares the check code. */
export const APPROVE = /^(Approve|It is the same: approve)$/

export type WatchedPage = Page & { readonly complaints: readonly string[] }

/** A page in a new browser context that records every violation of the content security policy and every uncaught
 * error. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: VIEWPORT, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    const text = message.text()
    const isAnswer = text.startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) complaints.push(text)
  })
  return Object.assign(page, { complaints })
}

/** A page of a person who makes an account with an invitation's link. */
export async function joinInBrowser(browser: Browser, link: string): Promise<WatchedPage> {
  const page = await openPage(browser)
  await page.goto(link)
  await page.getByLabel('Password', { exact: true }).fill('a long enough pass phrase')
  await page.getByRole('button', { name: 'Create the account and join' }).click()
  await page.getByRole('heading', { name: 'Applications' }).waitFor()
  return page
}

/** Move the pointer over an approval page, as a person does who reads it: its buttons become active a second later. */
export async function readRequest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Deny' }).waitFor()
  for (const x of [40, 60]) await page.mouse.move(x, 40)
}

/** Unfold the list of variables. */
export async function openKeys(page: Page): Promise<void> {
  await page.locator('summary', { hasText: /variables?, / }).click()
}

/** Choose another place than the terminal named. */
export async function openChoice(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Change', exact: true }).click()
}

/** Type the check code, as the page asks for a client that cannot take an approval back. */
export async function typeCheckCode(page: Page, code: string): Promise<void> {
  await page.getByLabel(/type the code that (your|their) terminal shows\./i).fill(code)
}

/** The accessibility rules, as a script of a page. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// All rules, of a page without frames. Only what is broken is reported.
export const RUN_AXE = "axe.run(document, { resultTypes: ['violations'], preload: false })"

/** Check a state of a page, once its heading is there, against the accessibility rules: none broken. In the trials
 * only: they take a fifth of the processor time of these tests. `every-page.test.ts` always checks each page against
 * them. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  if (process.env['TRIALS'] === undefined) return
  await settleColours(page)
  // Loading the rules takes half as long as applying them: a document that has them keeps them.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(AXE)
  const { violations }: AxeResults = await page.evaluate(RUN_AXE)
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })),
  )
  expect(found).toEqual([])
}

// Half way from one theme to the other, text and background can be of either.
async function settleColours(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (;;) {
      // On a busy machine the styles of the other theme come a frame later.
      for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame)
      const ending = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
      if (ending.length === 0) return
      await Promise.allSettled(ending.map(({ finished }) => finished))
    }
  })()`)
}

/** Nothing that a page did was stopped by the content security policy, and nothing went wrong unseen. */
export async function closePage(page: WatchedPage): Promise<void> {
  await page.context().close()
  expect(page.complaints).toEqual([])
}

/** A page fits its width: nothing has to be scrolled sideways to be read. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { scrollWidth, clientWidth } = await page
    .locator('html')
    .evaluate((html) => ({ scrollWidth: html.scrollWidth, clientWidth: html.clientWidth }))
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
}

/** Whether a mark can be seen on a page of the usual size without scrolling. */
export async function isInView(mark: Locator): Promise<boolean> {
  const box = await mark.boundingBox()
  return box !== null && box.y >= 0 && box.y + box.height <= VIEWPORT.height
}

/** The ground, the border and the letters of a button. */
export function lookOf(button: Locator) {
  return button.evaluate((element) => {
    const style = element.ownerDocument.defaultView?.getComputedStyle(element)
    return style && [style.backgroundColor, style.borderTopStyle, style.color]
  })
}

/** Note every text that a server answers a page with, to search it for what must never reach a browser. */
export function recordAnswers(page: Page): string[] {
  const answers: string[] = []
  page.on('response', (response) => {
    response.text().then(
      (text) => answers.push(text),
      () => undefined,
    )
  })
  return answers
}

/** A button of the open dialog. The button that opened it often has the same name. */
export function inDialog(page: Page, name: string): Locator {
  return page.getByRole('dialog').getByRole('button', { name })
}

/** Choose from the menu of a variable's row, or of the page. */
export async function pickFromMenu(page: Page, of: string, item: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: `More for ${of}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

/** The cell of a variable in an environment, as the page of the application calls it. */
export function cellOf(page: Page, name: string, environment: string): Locator {
  return page.getByRole('button', { name: new RegExp(`^${name} in ${environment}: `) })
}

/** Open the row of a variable. */
export async function openRow(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

/** Say of a value that is not stored yet that members may read it. `of`: its name, in a list. */
export async function sayReadable(page: Page, of = 'it'): Promise<void> {
  await page.getByLabel(`Who can read ${of}`, { exact: true }).selectOption('Readable')
}

/** Save the edited value in every bundle that uses it. */
export async function saveInAll(page: Page): Promise<void> {
  await page.getByLabel('Saved in').selectOption('all')
}

/** Press a button that counts only once a person could look at it, until it did: no press counts that comes just as the
 * page moves the button. */
export async function pressArmed(page: Page, name: string | RegExp): Promise<void> {
  const button = page.getByRole('button', { name, exact: true })
  await button.waitFor()
  const press = async () => {
    for (const x of [40, 60]) await page.mouse.move(x, 40)
    await button.click({ timeout: 5_000 }).catch(() => undefined)
    await button.waitFor({ state: 'detached', timeout: 5_000 }).catch(() => undefined)
    return await button.count()
  }
  await expect.poll(press).toBe(0)
}

/** A script that adds up how far parts of the page move by themselves. */
export const WATCH_SHIFTS = `
  window.shifted = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifted += value })
    .observe({ type: 'layout-shift', buffered: true })
`

/** Keep the fonts back until the page has shown its text in another font.
 * @returns lets them load, and waits until the page shows them */
export async function delayFonts(page: Page): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/*.woff2', async (route) => {
    await released
    await route.continue()
  })
  return async () => {
    expect(await page.evaluate('document.fonts.status')).toBe('loading')
    release()
    await page.evaluate('document.fonts.ready')
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }
}
