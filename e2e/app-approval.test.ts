import { createClient } from '@keyferry/contract/client'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ACCOUNTS, OWNER, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { askApproval, createLibrary, META, withdraw } from './app-library.ts'
import {
  APPROVE,
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  lookOf,
  openKeys,
  openPage,
  pressArmed,
  readRequest,
  recordAnswers,
  typeCheckCode,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PROXY = { TRUST_PROXY: '127.0.0.1' }

const title = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const approve = (page: Page) => page.getByRole('button', { name: /^Approve|: approve/ })
const approveAll = (page: Page) => page.getByRole('button', { name: APPROVE })

async function expectEnd(page: WatchedPage, name: string): Promise<void> {
  await title(page, name).waitFor()
  await expect.poll(() => page.title()).toBe(`${name} · Keyferry`)
  expect(await title(page, name).evaluate((heading) => heading.ownerDocument.activeElement === heading)).toBe(
    true,
  )
  await expectAccessible(page)
  await closePage(page)
}

/** A server for one test, gone when the test is over, however it ends. */
async function startOwn(env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const own = await startServer({ env: { ...PROXY, ...env } })
  onTestFinished(() => own.dispose())
  return own
}

describe.skipIf(!hasBrowser())('the approval page', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer({ env: PROXY }), sharedBrowser()])
    await createLibrary(server.url)
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function open(asking: Parameters<typeof askApproval>[1], url = server.url) {
    const request = await askApproval(url, asking)
    const page = await openPage(browser)
    await page.goto(url + request.verification_uri_complete)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await readRequest(page)
    return { page, request }
  }

  test('says who asks, what of it is only claimed, and the code to compare', async () => {
    const { page, request } = await open({ bundle: 'dev/app' })
    await page.getByText(request.user_code, { exact: true }).waitFor()
    const { command, hostname } = META
    const place = [
      "You are local in local's workspace",
      'dev/app',
      '6 variables, ',
      '~/projects/shop/services/checkout-api',
    ]
    for (const text of ['not verified', '198.51.', ...place, command, hostname])
      await expect.poll(() => page.locator('body').innerText()).toContain(text)
    await page.getByText('Details').click()
    for (const text of [META.user, META.os, META.client_version, META.cwd])
      await page.getByText(text, { exact: true }).waitFor()
    await page.getByText('A code that someone sent you proves nothing').waitFor()
    await openKeys(page)
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(6)
    await expectAccessible(page)
    await closePage(page)
  })

  test('text that hides or reorders what it says is shown without that, and a folder with escapes', async () => {
    const { page } = await open({
      meta: { hostname: 'lap\u202etop', command: '<b>rm</b> -rf', cwd: '/home/ada/shop\u200b' },
    })
    await page.getByText('laptop', { exact: true }).first().waitFor()
    await page.getByText('<b>rm</b> -rf').first().waitFor()
    await page.getByText(String.raw`/home/ada/shop\u{200b}`).first().waitFor()
    await closePage(page)
  })

  test('text that no line can break neither widens the page nor covers what is beside it', async () => {
    const wide = ['\u1100'.repeat(200), `a${'\u0336\u030a'.repeat(100)}`, '\u3164']
    const meta = { hostname: wide[0] ?? '', user: (wide[1] ?? '').slice(0, 200), command: wide[0] ?? '' }
    const { page } = await open({ bundle: 'dev/app', keys: ['PORT', ...wide], meta })
    await page.setViewportSize({ width: 360, height: 640 })
    await page.getByText('Requested, but not in this bundle').waitFor()
    expect(await page.getByText('a name without a visible character').count()).toBe(1)
    await page.getByText('Details').click()
    await expectNoSidewaysScroll(page)
    await closePage(page)
  })

  test('keyboard alone: choose another bundle, leave a key out, approve; the terminal gets just that', async () => {
    const { page, request } = await open({ bundle: 'dev/app', flags: ['run', '--any-bundle'] })
    await tabTo(page, 'Change')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox').focus()
    await page.keyboard.type('worker')
    await page.getByRole('option', { name: 'dev/worker' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await page.locator('summary', { hasText: '3 variables, ' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('checkbox', { name: 'LOG_LEVEL' }).focus()
    await page.keyboard.press('Space')
    await tabTo(page, 'It is the same: approve')
    await expect.poll(() => approveAll(page).getAttribute('aria-disabled')).toBe('false')
    await page.keyboard.press('Enter')
    await page.getByText('You are about to share dev/worker').waitFor()
    await tabTo(page, 'Approve anyway')
    const anyway = page.getByRole('button', { name: 'Approve anyway' })
    await expect.poll(() => anyway.getAttribute('aria-disabled')).toBe('false')
    await page.keyboard.press('Enter')
    await title(page, 'Approved').waitFor()
    const { status } = await collect(server.url, request.id)
    expect(status).toBe('ready')
    await title(page, 'Delivered').waitFor()
    await page.getByText('2 variables from dev/worker').waitFor()
    expect(await page.getByRole('link', { name: /Rotate/ }).count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'See it in Activity' }).click()
    await page.getByRole('button', { name: /^Steps: local approved 2 values of dev\/worker/ }).click()
    await page.getByRole('link', { name: 'What was delivered' }).click()
    await page.getByText('2 values of dev/worker, 2 of them are still current').waitFor()
    await closePage(page)
  })

  test('a template selects the keys that exist and names the others', async () => {
    const { page } = await open({ bundle: 'dev/app', keys: ['PORT', 'AWS_KEY'] })
    await page.getByText('Requested, but not in this bundle: AWS_KEY').waitFor()
    await page.getByText('Required, but not selected: DATABASE_URL').waitFor()
    await openKeys(page)
    await expect.poll(() => page.getByRole('checkbox', { checked: true }).count()).toBe(1)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('button', { name: 'Select requested' }).click()
    await page.getByText('1 of 6 selected').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await approve(page).click()
    await page.getByRole('alert').getByText('Select at least one variable.').waitFor()
    await closePage(page)
  })

  test('keys that were not requested are collapsed, have a warning, and need a confirmation', async () => {
    const { page, request } = await open({ bundle: 'dev/app', keys: ['PORT'] })
    await openKeys(page)
    await page.getByRole('checkbox', { name: 'PORT' }).waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(1)
    await page.getByText('5 variables that were not requested').click()
    await page.getByText('refuses a delivery with others').waitFor()
    await page.getByRole('checkbox', { name: 'LOG_LEVEL' }).check()
    const warning = page.getByRole('alert').getByText('Selected, but not requested: LOG_LEVEL.')
    await warning.waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Deselect it' }).click()
    await warning.waitFor({ state: 'detached' })
    await page.getByText('1 of 6 selected').waitFor()
    await page.getByRole('checkbox', { name: 'LOG_LEVEL' }).check()
    await approve(page).click()
    const question = page.getByRole('dialog', { name: 'Approve anyway?' })
    await question.waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    const params = { request_id: request.id }
    const { status } = await createClient(server.url)('GET', '/api/v1/requests/{request_id}/context', {
      params,
    })
    expect(status).toBe('pending')
    await approve(page).click()
    await page.getByRole('button', { name: 'Approve anyway' }).click()
    await title(page, 'Approved').waitFor()
    await closePage(page)
  })

  test('on a phone, text that fits on a line does not wrap', async () => {
    const own = await startOwn()
    const keys = Array.from({ length: 10 }, (_, index) => ({
      name: `K${index}`,
      value: 'x',
      is_secret: true,
    }))
    await createLibrary(own.url, [{ name: 'dev/app', keys }])
    const meta = { ...META, os: 'Linux 6.8.0-1044-aws x64', command: 'npm run dev -- --host --port 3000' }
    const asked = await askApproval(own.url, { bundle: 'dev/app', meta })
    const page = await openPage(browser, { viewport: { width: 360, height: 740 } })
    await page.goto(own.url + asked.verification_uri_complete)
    await page.getByRole('heading', { name: 'npm run dev -- --host --port 3000' }).waitFor()
    for (const text of ['dev/app', 'sams-laptop', '--host', '--port', 'It is the same: approve'])
      expect(
        await page
          .getByText(text, { exact: true })
          .first()
          .evaluate((found) => found.getClientRects().length),
      ).toBe(1)
    await expectNoSidewaysScroll(page)
    await closePage(page)
  })

  test('an unknown suggestion is reported with the name that was probably meant; nothing is offered', async () => {
    const { page } = await open({ bundle: 'dev/ap' })
    await page.getByText('Did you mean dev/app?').waitFor()
    expect(await page.getByRole('combobox').count()).toBe(0)
    expect(await approve(page).count()).toBe(0)
    await expectAccessible(page)
    await closePage(page)
  })

  test('an unknown suggestion of a client that takes any bundle: nothing is selected instead', async () => {
    const { page } = await open({ bundle: 'qa/app', flags: ['run', '--any-bundle'] })
    await page.getByText('The terminal requested qa/app, which is not in any of your workspaces.').waitFor()
    expect(await page.getByRole('combobox').inputValue()).toBe('')
    await approve(page).click()
    await page.getByText('Choose a bundle to see its variables.').waitFor()
    await page.getByRole('alert').getByText('Choose a bundle first.').waitFor()
    await expectAccessible(page)
    const border = async () => (await lookOf(approve(page)))?.[1]
    expect(await border()).toBe('dashed')
    await page.getByRole('combobox').fill('dev/app')
    await page.getByRole('option', { name: /^dev\/app/ }).click()
    await expect.poll(border).toBe('solid')
    await closePage(page)
  })

  test('a double click approves once', async () => {
    const { page } = await open({ bundle: 'dev/app' })
    const calls: string[] = []
    page.on('request', (call) => call.method() === 'POST' && calls.push(call.url()))
    await approveAll(page).dblclick()
    await title(page, 'Approved').waitFor()
    expect(calls).toHaveLength(1)
    await closePage(page)
  })

  test('denied', async () => {
    const { page } = await open({})
    await page.getByRole('button', { name: 'Deny' }).click()
    await expectEnd(page, 'Denied')
  })

  test('denied by another person while the page is open', async () => {
    const { page, request } = await open({})
    const params = { request_id: request.id }
    await createClient(server.url)('DELETE', '/api/v1/requests/{request_id}', { params })
    await expectEnd(page, 'Denied')
  })

  test.each(['open', 'approved'])('withdrawn by the terminal while the page is %s', async (phase) => {
    const verifier = generatePollVerifier()
    const { page, request } = await open({ bundle: 'dev/app', verifier })
    await approveAll(page).waitFor()
    if (phase === 'approved') {
      await approveAll(page).click()
      await title(page, 'Approved').waitFor()
    }
    await withdraw(server.url, request.id, verifier)
    await expectEnd(page, 'Withdrawn')
  })

  test('approved by another person while the page is open', async () => {
    const { page, request } = await open({ bundle: 'dev/app' })
    await approveAll(page).waitFor()
    await approveByCall(server.url, request.id)
    await approve(page).click()
    await expectEnd(page, 'Already approved')
  })

  test('unknown or already used', async () => {
    const page = await openPage(browser)
    await page.goto(`${server.url}/approve/${'0'.repeat(32)}`)
    await expectEnd(page, 'Already used or unknown')
  })

  test('the server is gone: the page says so, and continues once it is back', async () => {
    const own = await startOwn()
    await createLibrary(own.url)
    const { page } = await open({ bundle: 'dev/app' }, own.url)
    await approveAll(page).waitFor()
    await own.stop('SIGKILL')
    await approve(page).click()
    await page.getByRole('alert').getByText('The server does not answer.').waitFor()
    await expectAccessible(page)
    const again = await own.restart()
    await pressArmed(page, APPROVE)
    await title(page, 'Approved').waitFor()
    await closePage(page)
    await again.stop()
  })

  test('nothing in the library yet: how to import', async () => {
    const own = await startOwn()
    const { page } = await open({}, own.url)
    await page.getByText('keyferry import .env --bundle dev/app').waitFor()
    await page.getByRole('link', { name: 'Import in the browser' }).waitFor()
    expect(await approve(page).count()).toBe(0)
    await expectAccessible(page)
    await closePage(page)
  })

  test('expired while the page is open, and opened after that', async () => {
    // A busy machine may open it only after its end.
    const own = await startOwn({ REQUEST_TTL: '12' })
    const request = await askApproval(own.url, {})
    const page = await openPage(browser)
    await page.goto(own.url + request.verification_uri_complete)
    await title(page, 'This request has expired').waitFor()
    await page.reload()
    await expectEnd(page, 'This request has expired')
  })

  /** The page of a request whose client takes nothing back, on a server with accounts. */
  async function openSignedIn() {
    const own = await startOwn(ACCOUNTS)
    const session = await setUpOwner(own.url)
    await createLibrary(own.url, undefined, sessionHeaders(own.url, session))
    const request = await askApproval(own.url, { bundle: 'dev/app' })
    const page = await openPage(browser)
    await page.context().addCookies([{ ...session, url: own.url }])
    await page.goto(own.url + request.verification_uri_complete)
    await readRequest(page)
    return { page, request, session }
  }

  test('a typed check code: a wrong one is refused, the right one approves', async () => {
    const { page, request } = await openSignedIn()
    const code = page.getByLabel('Type the code that your terminal shows.')
    expect(await code.evaluate((field) => field.ownerDocument.activeElement === field)).toBe(true)
    await expectAccessible(page)
    expect(await page.getByText(request.user_code).count()).toBe(0)
    await approveAll(page).click()
    await page.getByText('Type all eight letters').waitFor()
    await approveAll(page).waitFor()
    await code.fill('BBBB-BBBB')
    await approve(page).click()
    await page.getByText('That is not the code of this request. 4 tries are left.').waitFor()
    await expectAccessible(page)
    await code.fill(request.user_code.replace('-', '').toLowerCase())
    await approve(page).click()
    await title(page, 'Approved').waitFor()
    await closePage(page)
  })

  test('a session that ended leads to sign-in, and back to the decision', async () => {
    const { page, request, session } = await openSignedIn()
    await page.getByText('This client cannot return the approval to a terminal.').waitFor()
    await typeCheckCode(page, request.user_code)
    await page.context().clearCookies({ name: session.name })
    await approve(page).click()
    await title(page, 'Sign in to decide').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await readRequest(page)
    await approveAll(page).click()
    await page.getByText('Type all eight letters of the check code.').waitFor()
    await typeCheckCode(page, request.user_code)
    await approveAll(page).click()
    await title(page, 'Approved').waitFor()
    await closePage(page)
  })

  test('no secret value reaches the browser, and the address is sent to no other site', async () => {
    const { page } = await open({ bundle: 'dev/app' })
    const answers = recordAnswers(page)
    const response = await page.reload()
    await readRequest(page)
    await approveAll(page).click()
    await title(page, 'Approved').waitFor()
    expect(answers.length).toBeGreaterThan(2)
    expect(`${answers.join()} ${await page.content()}`).not.toContain('planted-')
    expect(response?.headers()['referrer-policy']).toBe('no-referrer')
    await closePage(page)
  })

  test.each([
    ['a phone', { viewport: { width: 360, height: 740 } }],
    ['a laptop at 200 %', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
    ['dark', { colorScheme: 'dark' }],
  ] as const)('on %s: fits and stays accessible', async (_, options) => {
    const request = await askApproval(server.url, { bundle: 'dev/app', keys: ['PORT', 'AWS_KEY'] })
    const page = await openPage(browser, options)
    await page.goto(server.url + request.verification_uri_complete)
    await approve(page).waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await closePage(page)
  })
})

async function tabTo(page: Page, name: string): Promise<void> {
  const target = page.getByRole('button', { name, exact: true })
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((button) => button.ownerDocument.activeElement === button)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab never reached ${name}`)
}

async function collect(url: string, requestId: string) {
  const params = { request_id: requestId }
  return await createClient(url)('GET', '/api/v1/requests/{request_id}/wait', { params })
}

async function approveByCall(url: string, requestId: string): Promise<void> {
  const call = createClient(url)
  const params = { request_id: requestId }
  const [bundle] = await call('GET', '/api/v1/requests/{request_id}/bundles', { params })
  await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
    params,
    body: { bundle_id: bundle?.id ?? '', include_keys: ['NPM_TOKEN'] },
  })
}
