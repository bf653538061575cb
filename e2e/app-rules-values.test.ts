import { randomUUID } from 'node:crypto'
import { createClient, type EndpointClient } from '@keyferry/contract/client'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { type Asking, askApproval, createLibrary } from './app-library.ts'
import {
  APPROVE,
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  inDialog,
  joinInBrowser,
  openKeys,
  openPage,
  openRow,
  pickFromMenu,
  pressArmed,
  readRequest,
  recordAnswers,
  typeCheckCode,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { chooseRule, confirmLooser, ruleWord } from './rules-page.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PHONE = { width: 360, height: 740 }
const NO_RULES = { assurance: null, approvers: null, approvals_needed: null, agents: null }

const box = (page: Page, name: string) => page.getByRole('checkbox', { name })
const approve = (page: Page) => page.getByRole('button', { name: /^Approve|: approve/ })
const leaveOut = (page: Page) => page.getByRole('button', { name: 'Leave it out' })
const covered = (page: Page) => page.getByText('A rule of another bundle covers STRIPE_SECRET_KEY')

// `prod/shop/app` and `dev/app` share STRIPE_SECRET_KEY.
describe.skipIf(!hasBrowser())('rules that follow the value, in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie
  let call: EndpointClient
  let bundles: ReadonlyMap<string, string>
  let member: WatchedPage

  beforeAll(async () => {
    const env = { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1' }
    ;[server, browser] = await Promise.all([startServer({ env }), sharedBrowser()])
    cookie = await setUpOwner(server.url)
    const headers = sessionHeaders(server.url, cookie)
    bundles = (await createLibrary(server.url, undefined, headers)).bundles
    call = createClient(server.url, (input, init) =>
      fetch(input, { ...init, headers: Object.assign({}, init?.headers, headers) }),
    )
    const body = { email: 'kim@example.com', role: 'member' } as const
    const { accept_path } = await call('POST', '/api/v1/invitations', { body })
    member = await joinInBrowser(browser, server.url + accept_path)
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  beforeEach(() => rule('prod/shop/app', NO_RULES))

  async function asOwner(path: string) {
    const page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + path)
    return page
  }

  async function rule(bundle: string, body: Record<string, unknown>) {
    const params = { bundle_id: bundles.get(bundle) ?? '' }
    await call('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body })
  }

  const rulesOf = (bundle: string) => `/rules?bundle=${bundles.get(bundle)}`

  async function asked(page: Page, asking: Asking = {}) {
    const request = await askApproval(server.url, { bundle: 'dev/app', ...asking })
    await page.goto(server.url + request.verification_uri_complete)
    await readRequest(page)
    await openKeys(page)
    await page.getByText(/of 6 selected/).waitFor()
    return request
  }

  test('the rules of a bundle say in which others they count', async () => {
    const page = await asOwner(rulesOf('prod/shop/app'))
    const place = page.getByRole('listitem', { name: 'prod/shop/app', exact: true })
    await place.getByText('Also counts for secrets in 1 other bundle').click()
    await place.getByText('dev/app: 1 secret').waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await expectNoSidewaysScroll(page)
    await page.goto(server.url + rulesOf('ci'))
    const other = page.getByRole('listitem', { name: 'ci', exact: true })
    await other.getByRole('button', { name: /^For agents/ }).waitFor()
    expect(await other.getByText('Also counts').count()).toBe(0)
    await closePage(page)
  })

  test('a member leaves out what a rule of another bundle covers, and approves the rest', async () => {
    await rule('prod/shop/app', { approvers: 'owner' })
    const request = await asked(member)
    await covered(member).waitFor()
    await member.getByText('only an owner may approve').waitFor()
    expect(await member.locator('body').innerText()).not.toContain('prod/shop')
    expect(await approve(member).count()).toBe(0)
    await expectAccessible(member)
    await member.setViewportSize(PHONE)
    await expectNoSidewaysScroll(member)
    await member.setViewportSize({ width: 1280, height: 860 })

    await leaveOut(member).click()
    await covered(member).waitFor({ state: 'detached' })
    await box(member, 'STRIPE_SECRET_KEY').check()
    await covered(member).waitFor()
    await box(member, 'STRIPE_SECRET_KEY').uncheck()
    await covered(member).waitFor({ state: 'detached' })
    await expectAccessible(member)
    await typeCheckCode(member, request.user_code)
    await member.getByRole('button', { name: APPROVE }).click()
    await member.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
  })

  test('the page asks again only when the choice gains or loses what another bundle covers', async () => {
    await rule('prod/shop/app', { approvers: 'owner' })
    const urls: string[] = []
    member.on('request', (sent) => urls.push(new URL(sent.url()).search))
    await asked(member, { keys: ['PORT', 'LOG_LEVEL'] })
    await box(member, 'LOG_LEVEL').uncheck()
    await member.getByText('variables that were not requested').click()
    await box(member, 'STRIPE_SECRET_KEY').check()
    await covered(member).waitFor()
    expect(urls.filter((search) => search.includes('keys='))).toEqual(['?keys=STRIPE_SECRET_KEY'])
    member.removeAllListeners('request')
  })

  test('nothing is left to approve without what the rule covers: the page offers no way out', async () => {
    await rule('prod/shop/app', { approvers: 'owner' })
    await asked(member, { keys: ['STRIPE_SECRET_KEY'] })
    await covered(member).waitFor()
    expect(await leaveOut(member).count()).toBe(0)
  })

  test('a rule that an owner sets while the page is open refuses the click, and the page shows why', async () => {
    const request = await asked(member)
    await typeCheckCode(member, request.user_code)
    await rule('prod/shop/app', { approvers: 'owner' })
    await member.getByRole('button', { name: APPROVE }).click()
    await leaveOut(member).waitFor()
    await expect.poll(() => covered(member).count()).toBe(2)
    await leaveOut(member).click()
    await covered(member).first().waitFor({ state: 'detached' })
    await member.getByRole('button', { name: APPROVE }).click()
    await member.getByRole('heading', { name: 'Approved', exact: true }).waitFor()
  })

  test('a value that another bundle delivers on one computer only is left out, and the rest returns by a code', async () => {
    await rule('prod/shop/app', { assurance: 'local' })
    const release = ['loopback', 'code'] as const
    await asked(member, { release, verifier: generatePollVerifier() })
    await member.getByText('These values are delivered only to a terminal on the computer').waitFor()
    await leaveOut(member).click()
    await member.getByText('Then you type a code into your terminal.').waitFor()
    await member.getByRole('button', { name: APPROVE }).waitFor()
  })

  test('two people approve what another bundle covers; one is enough for the rest', async () => {
    await rule('prod/shop/app', { approvals_needed: 2 })
    await asked(member)
    await member.getByRole('button', { name: 'Approve, first of two' }).waitFor()
    await box(member, 'STRIPE_SECRET_KEY').uncheck()
    await member.getByRole('button', { name: APPROVE }).waitFor()
  })

  test('a member promotes a secret unseen while the rules of production are as strict; the activity tells of it', async () => {
    for (const bundle of ['staging/till', 'prod/till']) {
      const entries = [{ name: 'TILL_TOKEN', value: `planted-${bundle}` }]
      const body = { bundle, entries, own: ['TILL_TOKEN'] }
      const made = await call('POST', '/api/v1/imports', { body })
      const params = { bundle_id: made.bundle_id ?? '' }
      await call('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body: { changers: 'member' } })
    }
    const source = (await call('GET', '/api/v1/bundles')).find(({ name }) => name === 'staging/till')
    const answers = recordAnswers(member)
    const take = async () => {
      await member.goto(`${server.url}/apps/prod/till`)
      await openRow(member, 'TILL_TOKEN')
      await pickFromMenu(member, 'TILL_TOKEN in prod/till', 'Take staging’s value')
    }
    const confirmed = member.getByRole('button', { name: 'Copy 1 to production' })
    await take()
    await pressArmed(member, 'Copy 1 to production')
    await member.getByText('Copied TILL_TOKEN to prod/till.').waitFor()
    await member.getByText('v2, sam').waitFor()
    const params = { bundle_id: source?.id ?? '' }
    await call('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body: { approvers: 'owner' } })
    await take()
    await member.getByText('Only an owner of this workspace can do this.').waitFor()
    expect(await confirmed.isDisabled()).toBe(true)
    await expectAccessible(member)
    await member.goto(`${server.url}/activity`)
    await member.getByText('into prod/till: TILL_TOKEN, copied from staging/till').waitFor()
    expect(answers.join()).not.toContain('planted-')
  })

  test('an owner names who may approve and who may change values', async () => {
    const owner = await asOwner(rulesOf('dev/worker'))
    const approvers = { label: 'Who may say yes', place: 'dev/worker' }
    const changers = { label: 'Who may change values', place: 'dev/worker' }
    await chooseRule(owner, approvers, 'Named people')
    const dialog = owner.getByRole('dialog')
    await dialog.getByText('Choose at least one person.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await dialog.getByText('sam@example.com').click()
    await expectAccessible(owner)
    await owner.setViewportSize(PHONE)
    await expectNoSidewaysScroll(owner)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await ruleWord(owner, approvers, 'sam, set here').waitFor()
    await chooseRule(owner, changers, 'Owners')
    await ruleWord(owner, changers, 'owners, set here').waitFor()

    await member.goto(server.url + rulesOf('dev/worker'))
    const place = member.getByRole('listitem', { name: 'dev/worker', exact: true })
    await place.getByText('sam says yes, and a click is enough.').waitFor()
    const { verification_uri_complete } = await askApproval(server.url, { bundle: 'dev/worker' })
    await member.goto(server.url + verification_uri_complete)
    await member.getByText('Only people that the rules name may approve this').waitFor()
    await member.getByText('Send the link of this page to sam').waitFor()

    await chooseRule(owner, approvers, 'As the places above say: Members')
    await confirmLooser(owner)
    await ruleWord(owner, approvers, 'Members, from above').waitFor()
    await closePage(owner)
  })

  test('before a machine gets a secret under weaker rules, the page names it', async () => {
    const { id: machine_id } = await call('POST', '/api/v1/machines', {
      body: { name: `ci-${randomUUID()}` },
    })
    await rule('prod/shop/app', { approvers: 'owner' })
    const page = await asOwner(`/machines/${machine_id}`)
    await page.getByRole('button', { name: 'Add bundle' }).click()
    await page.getByRole('combobox', { name: 'Bundle' }).fill('dev/app')
    await page.getByRole('option', { name: 'dev/app' }).click()
    const warning = page.getByText('Another bundle has stricter rules for 1 secret: STRIPE_SECRET_KEY.')
    await warning.waitFor()
    await expectAccessible(page)
    await page.getByLabel('What it may do').selectOption('read')
    await warning.waitFor({ state: 'detached' })
    await inDialog(page, 'Add bundle').click()
    await page.getByLabel('What it may do with dev/app').selectOption('deliver')
    await warning.waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Let it fetch values' }).click()
    await page.getByText('may now fetch the values of dev/app').waitFor()
    await expect.poll(() => page.getByLabel('What it may do with dev/app').inputValue()).toBe('deliver')
    await closePage(page)
  })

  test('before a secret is copied away from stricter rules, the page names it', async () => {
    await rule('prod/shop/app', { approvers: 'owner' })
    const page = await asOwner(`/bundles/${bundles.get('dev/app')}`)
    await pickFromMenu(page, 'dev/app', 'Duplicate')
    const warning = page.getByText('The copy comes under the rules of this bundle alone.')
    await page.getByRole('button', { name: 'All own values' }).click()
    await warning.waitFor()
    await page.getByText('Another bundle has stricter rules for 1 secret: STRIPE_SECRET_KEY.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'All shared values' }).click()
    await warning.waitFor({ state: 'detached' })
    await closePage(page)
  })
})
