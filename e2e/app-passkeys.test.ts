import { freePort } from '@keyferry/plumbing/free-port'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, OWNER, type SessionCookie, setUpOwner } from './app-accounts.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { addVirtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

// One story, told in order: each test goes on where the one before it ended.
describe.skipIf(!hasBrowser())('passkeys in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let page: WatchedPage
  let device: VirtualAuthenticator
  let site: string
  let firstSession: SessionCookie

  beforeAll(async () => {
    const port = await freePort('127.0.0.1')
    site = `http://localhost:${port}`
    const env = { ...ACCOUNTS, PUBLIC_URL: site }
    ;[server, browser] = await Promise.all([startServer({ port, env }), sharedBrowser()])
    firstSession = await setUpOwner(server.url)
    page = await openPage(browser)
    device = await addVirtualAuthenticator(page)
    // The person of this device picks every passkey that is offered in a field, so offer it only where a test says so.
    await page.addInitScript(`if ('PublicKeyCredential' in window)
      PublicKeyCredential.isConditionalMediationAvailable = async () => location.hash === '#offer'`)
  })

  afterAll(async () => {
    await closePage(page)
    await closePages(browser)
    await server?.dispose()
  })

  const passkeys = () => page.getByRole('region', { name: 'Passkeys' })
  const row = (name: string) => passkeys().getByRole('listitem').filter({ hasText: name })
  const dialog = () => page.getByRole('dialog')

  async function confirm(action: string, password = OWNER.password): Promise<void> {
    await dialog().getByLabel('Current password').fill(password)
    await dialog().getByRole('button', { name: action, exact: true }).click()
  }

  async function goToSignIn(): Promise<void> {
    await page.goto(`${site}/sign-in?return_to=/settings`)
    await button(page, 'Sign in with a passkey').waitFor()
  }

  async function signInByPassword(): Promise<void> {
    await goToSignIn()
    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByLabel('Password').fill(OWNER.password)
    await button(page, 'Sign in').click()
  }

  async function signOut(): Promise<void> {
    await button(page, 'Sign out').click()
    await heading(page, 'Secrets reach a terminal').waitFor()
  }

  test('the account page adds one, with a name and the password', async () => {
    await signInByPassword()
    await heading(page, 'Settings').waitFor()
    expect(await passkeys().getByRole('checkbox').count()).toBe(0)
    await button(page, 'Add a passkey').click()
    await dialog().getByLabel('Name').fill('Laptop')
    await expectAccessible(page)
    await dialog().getByRole('button', { name: 'Continue' }).click()
    await dialog().getByText('Enter your current password.').waitFor()
    await confirm('Continue', 'a wrong password')
    await dialog().getByText('The current password is wrong.').waitFor()
    expect(await device.credentials()).toHaveLength(0)
    await confirm('Continue')
    await page.getByText('Added the passkey Laptop.').waitFor()
    await row('Laptop').getByText('never used').waitFor()
    expect(await device.credentials()).toHaveLength(1)
    await expectAccessible(page)
  })

  test('a device gets no second passkey of the same account', async () => {
    await button(page, 'Add a passkey').click()
    await confirm('Continue')
    await dialog().getByText('This device already has a passkey for your account.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => passkeys().getByRole('listitem').count()).toBe(1)
  })

  test('it signs in alone, and leads back to the requested page', async () => {
    await signOut()
    await goToSignIn()
    await expectAccessible(page)
    await button(page, 'Sign in with a passkey').click()
    await heading(page, 'Settings').waitFor()
    await row('Laptop').getByText('last used').waitFor()
  })

  test('the browser offers it in the e-mail field', async () => {
    await signOut()
    await page.goto(`${site}/sign-in?return_to=/account#offer`)
    await heading(page, 'Settings').waitFor()
  })

  test('it gets another name', async () => {
    await page.getByRole('button', { name: 'Rename Laptop' }).click()
    await dialog().getByLabel('Name').fill('Work laptop')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await row('Work laptop').waitFor()
  })

  test('after the password, it is asked for where the person chose so', async () => {
    const choice = page.getByLabel('Ask for a passkey after my password')
    await choice.click()
    await expectAccessible(page)
    await confirm('Turn on', 'a wrong password')
    await dialog().getByText('The current password is wrong.').waitFor()
    await confirm('Turn on')
    await expect.poll(() => choice.isChecked()).toBe(true)
    await signOut()
    await signInByPassword()
    await heading(page, 'Settings').waitFor()
  })

  test('the password alone does not sign in then', async () => {
    await signOut()
    const answers: unknown[] = []
    page.on('response', (response) => {
      if (response.url() === `${site}/sign-in`) answers.push(response.status())
    })
    await goToSignIn()
    await device.setPresent(false)
    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByLabel('Password').fill(OWNER.password)
    await button(page, 'Sign in').click()
    await page.getByText('Confirm with your passkey.').waitFor()
    await expectAccessible(page)
    expect(answers).toContain(403)
    await page.goto(`${site}/settings`)
    await heading(page, 'Sign in').waitFor()
    await device.setPresent(true)
    await signInByPassword()
    await heading(page, 'Settings').waitFor()
  })

  test('removing the last one asks for the password, and says what it ends', async () => {
    await page.getByRole('button', { name: 'Remove Work laptop' }).click()
    await dialog().getByText('This is your last passkey.').waitFor()
    await expectAccessible(page)
    await confirm('Remove')
    await page.getByText('Removed the passkey Work laptop.').waitFor()
    await expect.poll(() => passkeys().getByRole('listitem').count()).toBe(0)
    await signOut()
    await signInByPassword()
    await heading(page, 'Settings').waitFor()
  })

  test('a removed one is refused, in words', async () => {
    await signOut()
    await goToSignIn()
    await button(page, 'Sign in with a passkey').click()
    await page.getByText('This passkey does not sign in here.').waitFor()
    await expectAccessible(page)
  })

  test('a device without one says so', async () => {
    await device.clear()
    await goToSignIn()
    await button(page, 'Sign in with a passkey').click()
    await page.getByText('No passkey was used. Try again.').waitFor()
  })

  test('at another address there is no button, and the account page says where', async () => {
    const other = `http://127.0.0.1:${server.port}`
    await page.goto(`${other}/sign-in`)
    await page.getByLabel('E-mail').waitFor()
    expect(await button(page, 'Sign in with a passkey').count()).toBe(0)
    await page.context().addCookies([{ ...firstSession, url: other }])
    await page.goto(`${other}/settings`)
    await passkeys().getByText(`Passkeys work at ${site}.`).waitFor()
    expect(await button(page, 'Add a passkey').count()).toBe(0)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
  })
})
