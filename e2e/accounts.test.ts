import { createClient } from '@keyferry/contract/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS } from './app-accounts.ts'
import { closePage, expectAccessible, openPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { clientIn } from './page-client.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PASSWORD = 'correct horse battery'

async function fill(page: Page, fields: Readonly<Record<string, string>>, button: string): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
  await page.getByRole('button', { name: button, exact: true }).click()
}

const me = async (page: Page) => await clientIn(page)('GET', '/api/v1/me')

describe.skipIf(!hasBrowser())('people who have an account here', () => {
  let browser: Browser
  let server: RunningServer

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer({ env: ACCOUNTS }), sharedBrowser()])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  test('the first visitor sets up the first account, and is signed in', async () => {
    const page = await openPage(browser)
    await page.goto(`${server.url}/sign-in`)
    await page.waitForURL(`${server.url}/set-up`)
    await expectAccessible(page)
    const account = { 'E-mail': 'owner@example.com', Password: PASSWORD }
    await fill(page, { 'Set-up code': 'a wrong code', ...account }, 'Create account')
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('This is not the set-up code.')
    await fill(page, { 'Set-up code': ACCOUNTS.SETUP_CODE }, 'Create account')
    await page.waitForURL(`${server.url}/w/*/`)
    expect(await me(page)).toMatchObject({ email: 'owner@example.com', role: 'owner', auth_mode: 'accounts' })
    await closePage(page)
  })

  test('a second set-up is refused', async () => {
    const page = await openPage(browser)
    await page.goto(`${server.url}/set-up`)
    await page.waitForURL(`${server.url}/sign-in`)
    const answer = await page.request.post(`${server.url}/set-up`, {
      data: { setup_code: ACCOUNTS.SETUP_CODE, email: 'second@example.com', password: PASSWORD },
    })
    expect(answer.status()).toBe(409)
    await closePage(page)
  })

  async function signIn(page: Page, password = PASSWORD, email = 'owner@example.com'): Promise<void> {
    await page.goto(`${server.url}/sign-in?return_to=/machines`)
    await fill(page, { 'E-mail': email, Password: password }, 'Sign in')
  }

  test('a wrong password is reported, the right one leads back to the requested page', async () => {
    const page = await openPage(browser)
    await signIn(page, 'wrong')
    await page.getByRole('alert').waitFor()
    await expect.poll(() => page.getByRole('alert').innerText()).toBe('E-mail or password is wrong.')
    await signIn(page)
    await page.waitForURL(`${server.url}/w/*/machines`)
    await closePage(page)
  })

  test('an invitation makes an account and joins, in one go', async () => {
    const owner = await openPage(browser)
    await signIn(owner)
    await owner.waitForURL(`${server.url}/w/*/machines`)
    const { accept_path } = await clientIn(owner)('POST', '/api/v1/invitations', {
      body: { email: 'kim@example.com', role: 'member' },
    })
    const team = (await me(owner)).tenant
    const page = await openPage(browser)
    await page.goto(server.url + accept_path)
    await page.waitForURL(`${server.url}/sign-up?**`)
    await expectAccessible(page)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).not.toBe('/sign-up')
    expect(await me(page)).toMatchObject({ email: 'kim@example.com', role: 'member', tenant: team })
    await Promise.all([closePage(page), closePage(owner)])
  })

  test('a person changes the password and the e-mail, and the other browser is signed out', async () => {
    const page = await openPage(browser)
    const other = await openPage(browser)
    for (const each of [page, other]) {
      await signIn(each, PASSWORD, 'kim@example.com')
      await each.waitForURL(`${server.url}/**/machines`)
      // Until then the app may still go to the address of the workspace.
      await each.getByRole('heading', { name: 'Machines', exact: true }).waitFor()
    }
    await page.goto(`${server.url}/settings`)
    await expectAccessible(page)
    const chosen = 'monkey dragon teapot'
    await page.getByRole('button', { name: 'Change password' }).click()
    await fill(page, { 'Current password': 'wrong', 'New password': chosen }, 'Change password')
    await page.getByText('The current password is wrong.').waitFor()
    await fill(page, { 'Current password': PASSWORD, 'New password': 'password1234' }, 'Change password')
    await page.getByText('too easy to guess').waitFor()
    await fill(page, { 'New password': chosen }, 'Change password')
    await page.getByText('Password changed. All other sessions ended.').waitFor()
    await expect(me(other)).rejects.toMatchObject({ status: 401 })
    await page.getByRole('button', { name: 'Change e-mail' }).click()
    await fill(page, { 'New e-mail': 'lee@example.com', Password: chosen }, 'Change e-mail')
    await page.getByText('Sign in with lee@example.com from now on.').waitFor()
    expect(await me(page)).toMatchObject({ email: 'lee@example.com' })
    await Promise.all([closePage(page), closePage(other)])
  })

  test('after sign-out the session is worth nothing', async () => {
    const page = await openPage(browser)
    await signIn(page)
    await page.waitForURL(`${server.url}/w/*/machines`)
    await page.getByRole('heading', { name: 'Machines', exact: true }).waitFor()
    const cookies = await page.context().cookies()
    // Not by a script of the page, which may go to the sign-in page before it hears the answer.
    const headers = { origin: server.url, 'sec-fetch-site': 'same-origin' }
    const answer = await page.context().request.post(`${server.url}/sign-out`, { headers })
    expect(answer.status()).toBe(200)
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const call = createClient(server.url, (url, init) => fetch(url, { ...init, headers: { cookie } }))
    await expect(call('GET', '/api/v1/me')).rejects.toMatchObject({ status: 401 })
    await closePage(page)
  })
})
