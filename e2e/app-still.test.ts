import { createClient } from '@keyferry/contract/client'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OWNER, type SessionCookie, sessionHeaders, signIn } from './app-accounts.ts'
import { askApproval } from './app-library.ts'
import { cellOf, closePage, openPage, openRow, pickFromMenu } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { Depositor } from './depositor.ts'
import { places } from './engines/walk.ts'
import { startWorld } from './engines/world.ts'
import { Attacker as Terminal } from './lure.ts'
import {
  answerOneByOne,
  coveredControls,
  movedControls,
  placesOfControls,
  WATCH_CONTROLS,
  watchAnew,
} from './still.ts'

const MINUTE_MS = 60_000
const STEP_MS = 10_000
/** From the end of the question to the buttons. */
const MOST_PX = 380
const WAY_BACK = `#lb=9.${'A'.repeat(43)}`

const LINES = `[...document.querySelectorAll('#decision button')].map((button) => {
  const words = document.createRange()
  words.selectNodeContents(document.createTreeWalker(button, NodeFilter.SHOW_TEXT).nextNode())
  return words.getClientRects().length
})`

const MADE_UP = '00000000-0000-7000-8000-000000000000'

const toast = (page: Page, text: string) => page.getByLabel('Notifications').getByText(text)

describe.skipIf(!hasBrowser())('nothing moves once it is drawn', () => {
  let started: Awaited<ReturnType<typeof startWorld>>
  let browser: Browser
  let session: SessionCookie

  beforeAll(async () => {
    ;[started, browser] = await Promise.all([startWorld(), sharedBrowser()])
    session = await signIn(started.url, OWNER)
  })
  afterAll(async () => {
    await closePages(browser)
    await started?.[Symbol.asyncDispose]()
  })

  async function watched(options = {}) {
    const page = await openPage(browser, options)
    await page.context().addCookies([{ ...session, url: started.url }])
    await page.clock.install()
    await page.addInitScript(WATCH_CONTROLS)
    return { page, answered: await answerOneByOne(page) }
  }

  /** What moves on a page while it loads, and in the minute after it. */
  async function movesOn({ page, answered }: Awaited<ReturnType<typeof watched>>, path: string) {
    await page.goto(started.url + path)
    await page.locator('h1').first().waitFor()
    await page
      .getByText(/^Loading/)
      .first()
      .waitFor({ state: 'detached' })
    await answered()
    const moves = [...(await movedControls(page))].map((move) => `${path}: ${move}`)
    for (let ms = 0; ms < MINUTE_MS; ms += STEP_MS) {
      await page.clock.fastForward(STEP_MS)
      await answered()
      moves.push(...(await movedControls(page)).map((move) => `${path} after ${ms}: ${move}`))
    }
    expect(await page.evaluate('controls.size')).toBeGreaterThan(1)
    return moves
  }

  test.each([
    ['on a desk', {}],
    ['on a phone', { viewport: { width: 390, height: 844 } }],
  ])('each page while it loads and for a minute, %s', async (_, options) => {
    const visit = await watched(options)
    const moves = []
    for (const [path] of places(started.world))
      moves.push(...(await movesOn(visit, `/w/${started.world.workspace}${path}`)))
    expect(moves).toEqual([])
    await closePage(visit.page)
  })

  test('each kind of request while it loads and for a minute', async () => {
    const { url } = started
    const verifier = generatePollVerifier()
    const returning = { release: ['loopback', 'code'] as const, verifier }
    const usual = await askApproval(url, { bundle: 'dev/app', address: '127.0.0.1', ...returning })
    const bare = await askApproval(url, { bundle: 'prod/shop/app', argv: ['bash', '-c', 'env | curl'] })
    const deposit = await new Depositor(url).deposit('dev/worker', { STRIPE_SECRET_KEY: 'planted-new' })
    const names = await new Terminal(url).askForNames('dev/app')
    const paths = [
      usual.verification_uri_complete + WAY_BACK,
      bare.verification_uri_complete,
      `${bare.verification_uri_complete}?from=link`,
      deposit.path,
      names.path,
    ]
    const visit = await watched()
    const moves = []
    for (const path of paths) moves.push(...(await movesOn(visit, path)))
    expect(moves).toEqual([])
    await closePage(visit.page)
  })

  test('the buttons are near the question, and each label is on one line', async () => {
    const { url } = started
    const returning = { release: ['loopback', 'code'] as const, verifier: generatePollVerifier() }
    const linked = await askApproval(url, { bundle: 'dev/app', address: '127.0.0.1', ...returning })
    const typed = await askApproval(url, { bundle: 'dev/app', address: '127.0.0.1' })
    const values = { STRIPE_SECRET_KEY: 'planted-next', LOG_LEVEL: ['trace', false] as const }
    const news = { ONE: 'planted-1', TWO: 'planted-2', THREE: 'planted-3', FOUR: 'planted-4' }
    const many = await new Depositor(url, '127.0.0.1').deposit('dev/app', { ...values, ...news })
    const one = await new Depositor(url).deposit('dev/worker', { ONE: 'planted-1' })
    const production = await askApproval(url, { bundle: 'prod/shop/app', address: '127.0.0.1' })
    const detach = ['SMTP_PASSWORD']
    const removing = await new Depositor(url, '127.0.0.1').deposit('prod/shop/mail', {}, { detach })
    const paths = {
      production: production.verification_uri_complete,
      'a removal from production': removing.path,
      'many values': many.path + WAY_BACK,
      'a value from another network': one.path,
      lure: `${linked.verification_uri_complete}?from=link`,
      'typed code': typed.verification_uri_complete,
    }
    const { page } = await watched()
    const far: Record<string, number> = {}
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(url + path)
      const [deny, question] = [page.getByRole('button', { name: 'Deny' }), page.locator('h1')]
      await deny.waitFor()
      const [buttons, heading] = [await deny.boundingBox(), await question.boundingBox()]
      if (!buttons || !heading) throw new Error(`${name}: no question or no buttons`)
      far[name] = Math.round(buttons.y - heading.y - heading.height)
      expect(await page.evaluate<number[]>(LINES)).toEqual([1, 1])
    }
    expect(Object.entries(far).filter(([, px]) => px > MOST_PX)).toEqual([])
    await closePage(page)
  })

  test('what comes while home or Activity is open moves nothing until it is asked for', async () => {
    const { page, answered } = await watched()
    const [bundle, person] = [
      { id: MADE_UP, name: 'dev/app' },
      { id: MADE_UP, name: 'lee' },
    ]
    const at = new Date().toISOString()
    const item = { kind: 'request', request_id: MADE_UP, bundle, person, at, expires_at: at, key_count: 1 }
    let waiting: object[] = []
    await page.route('**/api/v1/waiting', (route) => route.fulfill({ json: waiting }))
    await page.goto(`${started.url}/w/${started.world.workspace}`)
    await page.getByRole('table').first().waitFor()
    await answered()
    await watchAnew(page)
    waiting = [item]
    await page.clock.fastForward(MINUTE_MS)
    await page.getByText('New: 1 decision.').waitFor()
    await answered()
    expect(await movedControls(page)).toEqual([])
    expect(await coveredControls(page)).toEqual([])
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('lee asks you to approve 1 variable of dev/app').waitFor()
    await answered()
    await watchAnew(page)
    waiting = []
    await page.clock.fastForward(MINUTE_MS)
    await page.getByText('No longer waits').waitFor()
    await answered()
    expect(await movedControls(page)).toEqual([])
    await expireSoon()
    await page.clock.fastForward(MINUTE_MS)
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await page.getByText('New: 1 due date.').waitFor()
    await answered()
    expect(await movedControls(page)).toEqual([])
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('region', { name: 'What expires' }).getByText('DATABASE_URL').waitFor()

    await page.goto(`${started.url}/w/${started.world.workspace}/activity`)
    const stories = page.getByRole('button', { name: /^Steps: / })
    await stories.first().waitFor()
    await answered()
    await watchAnew(page)
    const count = await stories.count()
    await signIn(started.url, OWNER)
    await page.clock.fastForward(MINUTE_MS)
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await page.getByText(/^[0-9]+ newer events?\.$/).waitFor()
    await answered()
    expect(await movedControls(page)).toEqual([])
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect.poll(() => stories.count()).toBeGreaterThan(count)
    await closePage(page)
  })

  async function expireSoon() {
    const { url, world } = started
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const [params, headers] = [{ key_id: world.ids.key }, sessionHeaders(url, session)]
    await createClient(url)('PUT', '/api/v1/keys/{key_id}', { params, headers, body: { expires_at } })
  }

  async function atApplication(options = {}) {
    const visit = await watched(options)
    const { page, answered } = visit
    await page.goto(`${started.url}/w/${started.world.workspace}/apps/dev/app`)
    await cellOf(page, 'LOG_LEVEL', 'dev').waitFor()
    await answered()
    return visit
  }

  test('the row of a saved value stays where it is, and its message covers nothing', async () => {
    const { page, answered } = await atApplication()
    const before = await placesOfControls(page)
    await cellOf(page, 'STRIPE_SECRET_KEY', 'dev').click()
    await page.getByRole('textbox', { name: 'Value of STRIPE_SECRET_KEY in dev/app' }).fill('planted-next')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await toast(page, 'Saved STRIPE_SECRET_KEY in dev/app').waitFor()
    await answered()
    const after = await placesOfControls(page)
    const stayed = Object.entries(before).filter(([name]) => after[name] !== undefined)
    expect(stayed.length).toBeGreaterThan(20)
    expect(Object.fromEntries(stayed.map(([name]) => [name, after[name]]))).toEqual(
      Object.fromEntries(stayed),
    )
    expect(await coveredControls(page)).toEqual([])
    // Another message takes another place, and the first leaves without moving it.
    await watchAnew(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await cellOf(page, 'LOG_LEVEL', 'dev').focus()
    await page.keyboard.press('c')
    await toast(page, 'Copied LOG_LEVEL.').waitFor()
    await page.clock.fastForward(7_000)
    expect(await movedControls(page)).toEqual([])
    await closePage(page)
  })

  test('what fails is named, and covers nothing', async () => {
    const { page, answered } = await atApplication()
    await page.route('**/keys/*', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.fallback(),
    )
    await openRow(page, 'PORT')
    await answered()
    await watchAnew(page)
    await pickFromMenu(page, 'PORT in dev/app', 'Remove from dev/app')
    await toast(page, 'Could not remove PORT from dev/app: The server does not answer.').waitFor()
    await answered()
    expect(await coveredControls(page)).toEqual([])
    await closePage(page)
  })

  test('news that come while a page is open move nothing and cover nothing', async () => {
    const { page, answered } = await atApplication()
    await page.route('**/api/v1/approval-keys', async (route) => {
      const [user_id, at] = [MADE_UP, new Date().toISOString()]
      const key = {
        id: user_id,
        user: { id: user_id, name: 'lee' },
        state: 'pending',
        name: 'laptop',
        created_at: at,
      }
      await route.fulfill({ json: { keys: [key], own: [] } })
    })
    await page.route('**/api/v1/compare**', (route) => route.abort())
    await page.clock.fastForward(60_000)
    await watchAnew(page)
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await page.getByText('New: a signing key waits for its confirmation.').waitFor()
    await page.clock.fastForward(60_000)
    await page.getByText('This page shows an earlier state.').waitFor()
    await answered()
    expect(await movedControls(page)).toEqual([])
    expect(await coveredControls(page)).toEqual([])
    await closePage(page)
  })
})
