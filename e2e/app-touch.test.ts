import { freePort } from '@keyferry/plumbing/free-port'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, setUpOwner } from './app-accounts.ts'
import { askApproval, createLibrary, LIBRARY } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  readRequest,
  type WatchedPage,
} from './app-page.ts'
import { addApprovalKey, confirmByOperator } from './approval-key.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { chooseRule, confirmLooser, ruleWord } from './rules-page.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { addVirtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts'

const keys = (page: Page) => page.getByRole('list', { name: 'Signing keys' }).getByRole('listitem')
const key = (page: Page, name: string) => keys(page).filter({ hasText: name })
const news = (page: Page) => page.getByRole('status').filter({ hasText: 'New: ' })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign with your signing key' })

/** Read the banner and hide it. A load of the page does not bring it back. */
async function seeNews(page: Page, text: string): Promise<void> {
  await news(page).getByText(text).waitFor()
  await news(page).getByRole('button', { name: 'Seen' }).click()
  await news(page).waitFor({ state: 'detached' })
  const lists = ['approval-keys', 'lasting-acts'].map((list) => page.waitForResponse(`**/api/v1/${list}`))
  await page.reload()
  await Promise.all(lists)
  await keys(page).first().waitFor()
  expect(await news(page).count()).toBe(0)
}

/** Press Remove on a key, and go on to the sheet that asks for the signature. */
async function askToRemove(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Remove ${name}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await dialog(page).waitFor()
}

// One story, told in order: each test goes on where the one before it ended.
describe.skipIf(!hasBrowser())('signing keys in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let page: WatchedPage
  let stick: VirtualAuthenticator
  let site: string
  let letters: string

  beforeAll(async () => {
    const port = await freePort('127.0.0.1')
    site = `http://localhost:${port}`
    const env = { ...ACCOUNTS, PUBLIC_URL: site, TRUST_PROXY: '127.0.0.1' }
    ;[server, browser] = await Promise.all([startServer({ port, env }), sharedBrowser()])
    page = await openPage(browser)
    const cookie = await setUpOwner(server.url)
    await page.context().addCookies([{ ...cookie, url: site }])
    await createLibrary(server.url, LIBRARY, { cookie: `${cookie.name}=${cookie.value}`, origin: site })
    stick = await addVirtualAuthenticator(page, { transport: 'usb' })
    await page.goto(`${site}/settings`)
  })

  afterAll(async () => {
    await closePage(page)
    await closePages(browser)
    await server?.dispose()
  })

  test('the first key waits, with its letters, until the operator confirms it', async () => {
    expect(await news(page).count()).toBe(0)
    const first = await addApprovalKey(page, 'Stick')
    await key(page, 'Stick').getByText('waiting').waitFor()
    await news(page).waitFor()
    await expectAccessible(page)
    await page.setViewportSize({ width: 390, height: 740 })
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 1280, height: 860 })
    await seeNews(page, 'a signing key waits for its confirmation')
    await confirmByOperator(server, first)
    await page.reload()
    await key(page, 'Stick').getByText('signs').waitFor()
    await seeNews(page, 'signing keys were confirmed or removed')
  })

  test('an authenticator without verification of its person adds none', async () => {
    await stick.setPresent(false)
    const unverified = await addVirtualAuthenticator(page, { transport: 'internal', isUserVerified: false })
    await page.getByRole('button', { name: 'Add a signing key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('No PIN')
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await page.getByText('No passkey was used. Try again.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await unverified.remove()
    await stick.setPresent(true)
  })

  test('a synced key says what it rests on', async () => {
    await stick.setPresent(false)
    const synced = { defaultBackupEligibility: true, defaultBackupState: true }
    const phone = await addVirtualAuthenticator(page, { transport: 'internal', ...synced })
    letters = await addApprovalKey(page, 'Phone')
    await key(page, 'Phone').getByText('on all devices of an account').waitFor()
    await page.getByText('a program that clicks for you can approve').waitFor()
    await phone.setPresent(false)
    await stick.setPresent(true)
  })

  test('the other own key confirms it by its letters and a signature, and that waits', async () => {
    await key(page, 'Phone').getByRole('button', { name: 'Confirm' }).click()
    await page.getByLabel('First eight letters').fill(letters.slice(0, 9).toLowerCase())
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await dialog(page).getByText('A signing key of').waitFor()
    await expectAccessible(page)
    await dialog(page).getByRole('button', { name: 'Sign' }).click()
    await page.getByText('until another owner signs the same').waitFor()
    const confirming = page.getByRole('dialog', { name: 'Confirm a signing key' })
    await confirming.getByRole('button', { name: 'Cancel' }).click()
    await confirming.waitFor({ state: 'detached' })
    await key(page, 'Phone').getByText('Confirmed once.').waitFor()
    await page.goto(`${site}/members`)
    await page.getByText('can sign approvals here.').waitFor()
    await seeNews(page, 'a signed change waits for another owner or for a day')
    await page.goto(`${site}/settings`)
  })

  test('a program that presses gives nothing, with and without an authenticator of its own', async () => {
    const program = await page.context().newPage()
    await addVirtualAuthenticator(program, { transport: 'usb' })
    await program.goto(`${site}/settings`)
    await askToRemove(program, 'Stick')
    await dialog(program).getByRole('button', { name: 'Sign' }).click()
    await dialog(program).getByText('No passkey was used. Try again.').waitFor()
    await program.close()
    await stick.setPresent(false)
    await askToRemove(page, 'Stick')
    await dialog(page).getByRole('button', { name: 'Sign' }).click()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Nothing changed, because you did not sign.').waitFor()
    await stick.setPresent(true)
    await page.reload()
    await expect.poll(() => keys(page).count()).toBe(2)
  })

  test('with two keys an owner sets the rule, and signs that', async () => {
    await confirmByOperator(server, letters)
    await page.goto(`${site}/rules`)
    await chooseRule(page, { label: 'How do we know it is them', place: 'all bundles' }, 'Signed A person')
    await dialog(page).getByText('The rules of the workspace change.').waitFor()
    await dialog(page).getByRole('button', { name: 'Sign' }).click()
    await page.getByText('How do we know it is them, all bundles: Signed.').waitFor()
    await dialog(page).waitFor({ state: 'detached' })
    await page.goto(`${site}/settings`)
    await key(page, 'Phone').getByText('signs').waitFor()
  })

  test('an act that waits shows the banner to owners again', async () => {
    await page.goto(`${site}/members`)
    await seeNews(page, 'signing keys were confirmed or removed')
    await page.getByLabel('E-mail').fill('kim@example.com')
    await page.getByLabel(/^Role(?! of)/).selectOption('owner')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog(page).getByRole('button', { name: 'Sign' }).click()
    await page.getByText('until another owner signs the same').waitFor()
    await page.reload()
    await news(page).getByRole('link', { name: 'See Members' }).waitFor()
    await seeNews(page, 'a signed change waits for another owner or for a day')
    await page.goto(`${site}/settings`)
  })

  test('a looser rule waits: the page says for whom, and an owner stops it', async () => {
    await page.goto(`${site}/rules`)
    await chooseRule(
      page,
      { label: 'How do we know it is them', place: 'all bundles' },
      'As without a rule: Not signed',
    )
    await confirmLooser(page)
    await dialog(page).getByText('After this, the rules of the workspace ask for less (touch).').waitFor()
    await dialog(page).getByText('It waits for another owner or a day.').waitFor()
    await dialog(page).getByRole('button', { name: 'Sign' }).click()
    await page.getByText('until another owner signs the same').waitFor()
    await page.getByText('an owner can stop it on the page Members').waitFor()
    await ruleWord(
      page,
      { label: 'How do we know it is them', place: 'all bundles' },
      'they sign it, and',
    ).waitFor()
    await page.goto(`${site}/members`)
    const waiting = page.getByRole('listitem').filter({ hasText: 'the rules of the workspace ask for less' })
    await waiting.getByText('signed by').waitFor()
    await expectAccessible(page)
    await waiting.getByRole('button', { name: 'Stop' }).click()
    await waiting.waitFor({ state: 'detached' })
    await page.goto(`${site}/settings`)
  })

  test('an approval under the rule is signed by one press and one touch', async () => {
    const { id, user_code, verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/app' })
    const context = async () => (await page.request.get(`${site}/api/v1/requests/${id}/context`)).json()
    await page.goto(`${site}${verification_uri_complete}`)
    await readRequest(page)
    const approve = page.getByRole('button', { name: /^Approve .*with your passkey/ })
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('false')
    const code = page.getByLabel(/type the code/i)
    if ((await code.count()) > 0) await code.fill(user_code)
    await approve.click()
    await expect.poll(async () => (await context()).status).not.toBe('pending')
    await page.goto(`${site}/settings`)
  })

  test('with the key, the signature removes it', async () => {
    await askToRemove(page, 'Stick')
    await dialog(page).getByRole('button', { name: 'Sign' }).click()
    await page.getByText('Removed Stick.').waitFor()
    await expect.poll(() => keys(page).count()).toBe(1)
  })
})
