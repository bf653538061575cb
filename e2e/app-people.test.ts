import { randomUUID } from 'node:crypto'
import { createClient } from '@keyferry/contract/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, OWNER } from './app-accounts.ts'
import { deliver } from './app-memory.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  openRow,
  pickFromMenu,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { clientIn } from './page-client.ts'
import { type RunningServer, startServer } from './start-server.ts'

const MEMBER = { email: 'kim@example.com', password: 'staple correct horse' }

async function signIn(page: Page, { email, password }: typeof OWNER): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

// One story, told in order: each test goes on where the one before it ended.
describe.skipIf(!hasBrowser())('people in the browser, from the first start on', () => {
  let server: RunningServer
  let browser: Browser
  let owner: WatchedPage
  let member: WatchedPage
  let invitation: string
  let teamPage: string

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer({ env: ACCOUNTS }), sharedBrowser()])
    owner = await openPage(browser)
    member = await openPage(browser)
  })

  afterAll(async () => {
    await closePage(owner)
    await closePage(member)
    await closePages(browser)
    await server?.dispose()
  })

  test('the first start asks for the owner’s account, with a password that is long enough', async () => {
    await owner.goto(server.url)
    await heading(owner, 'Set up Keyferry').waitFor()
    await expectAccessible(owner)
    await owner.getByLabel('Set-up code').fill(ACCOUNTS.SETUP_CODE)
    await owner.getByLabel('E-mail').fill(OWNER.email)
    await owner.getByLabel('Password').fill('short')
    await owner.getByRole('button', { name: 'Create account' }).click()
    await owner.getByText('Use at least 12 characters.').waitFor()
    await expectAccessible(owner)
    await owner.getByLabel('Password').fill(OWNER.password)
    await owner.getByRole('button', { name: 'Create account' }).click()
    await heading(owner, 'Applications').waitFor()
    await owner.getByText('Bring in your first .env file').waitFor()
    await owner.getByRole('link', { name: 'Paste' }).waitFor()
    expect(await owner.getByText('keyferry import').count()).toBe(0)
    await expectAccessible(owner)
  })

  test('a link for another person leads through sign-in and back', async () => {
    await member.goto(`${server.url}/`)
    await heading(member, 'Secrets reach a terminal').waitFor()
    expect(await member.title()).toBe('Secrets for a terminal, approved by you · Keyferry')
    await expectAccessible(member)
    await member.goto(`${server.url}/expiry?query=a`)
    await heading(member, 'Sign in').waitFor()
    await expectAccessible(member)
    await signIn(member, { ...OWNER, password: 'wrong horse battery' })
    await member.getByText('E-mail or password is wrong.').waitFor()
    await expectAccessible(member)
    await signIn(member, OWNER)
    await heading(member, 'What expires').waitFor()
    expect(member.url()).toMatch(/\/w\/[\w-]+\/expiry\?query=a$/)
  })

  test('the account page lists sessions, ends one, and signs out', async () => {
    await owner.goto(`${server.url}/settings`)
    await owner.getByText(OWNER.email).waitFor()
    const sessions = owner.getByRole('region', { name: 'Signed in on' }).getByRole('listitem')
    await expect.poll(() => sessions.count()).toBe(2)
    await expectAccessible(owner)
    await owner.getByRole('button', { name: 'End this session' }).click()
    await expect.poll(() => sessions.count()).toBe(1)
    await member.reload()
    await heading(member, 'Sign in').waitFor()
    await owner.getByRole('button', { name: 'Sign out', exact: true }).click()
    await heading(owner, 'Secrets reach a terminal').waitFor()
    await owner.goto(`${server.url}/sign-in`)
    await signIn(owner, OWNER)
    await heading(owner, 'Applications').waitFor()
  })

  test('an owner invites; the link is shown once', async () => {
    await owner.goto(`${server.url}/members`)
    await owner.getByText('The only owner').waitFor()
    await owner.getByLabel('E-mail').fill('not an address')
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    await owner.getByText('Invalid email format.').waitFor()
    await owner.getByLabel('E-mail').fill(MEMBER.email)
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    invitation = await owner.getByText(`${server.url}/invite/`).innerText()
    const open = owner.getByRole('listitem').filter({ hasText: 'Invited as member' })
    await open.getByText(MEMBER.email).waitFor()
    await expectAccessible(owner)
    await owner.reload()
    await open.waitFor()
    expect(await owner.content()).not.toContain(invitation)
  })

  test('the link makes an account and joins, and works once', async () => {
    await member.goto(invitation)
    await heading(member, "Join sam's workspace").waitFor()
    await member
      .getByText("sam (sam@example.com) invites you to the workspace sam's workspace as member")
      .waitFor()
    await expectAccessible(member)
    await member.getByLabel('Password').fill(MEMBER.password)
    await member.getByRole('button', { name: 'Create the account and join' }).click()
    await heading(member, 'Applications').waitFor()
    const again = await openPage(browser)
    await again.goto(invitation)
    await again.getByLabel('Password').fill(MEMBER.password)
    await again.getByRole('button', { name: 'Create the account and join' }).click()
    await again
      .getByRole('alert')
      .getByText(/used or revoked|There is an account/)
      .waitFor()
    await closePage(again)
    await member.goto(`${server.url}/sign-up`)
    await heading(member, 'Applications').waitFor()
  })

  test('a member is offered what a member may do, and told why not the rest', async () => {
    await owner.goto(`${server.url}/bundles`)
    await owner.getByRole('button', { name: 'New', exact: true }).click()
    await owner.getByLabel('Name').fill('dev/app')
    await owner.keyboard.press('Enter')
    await owner.getByRole('button', { name: 'Add variable' }).click()
    await owner.getByLabel('Name').fill('API_TOKEN')
    await owner.getByLabel('Value in dev/app').fill('typed')
    await owner.getByRole('button', { name: 'Add to dev' }).click()
    await owner.getByRole('button', { name: 'API_TOKEN', exact: true }).waitFor()
    await member.goto(owner.url())
    await member
      .getByText('Owners can change this bundle, and so can members whom the rules allow.')
      .waitFor()
    for (const name of ['Add variable', /^Edit/, 'More for API_TOKEN'])
      expect(await member.getByRole('button', { name }).count()).toBe(0)
    await expectAccessible(member)
    await openRow(member, 'API_TOKEN')
    await member.getByRole('link', { name: 'History and holders' }).click()
    await member.getByText('Owners can change this value, and so can members whom the rules allow.').waitFor()
    await expectAccessible(member)
    await member.goto(`${server.url}/bundles/import`)
    await member.getByLabel('Bundle').fill('dev/app')
    await member.getByLabel('Content of the .env or JSON file').fill('API_TOKEN=another')
    await member.getByRole('alert').getByText(/owner/).waitFor()
    expect(await member.getByRole('button', { name: 'Import 1 variable' }).isDisabled()).toBe(true)
    await expectAccessible(member)
    await member.goto(`${server.url}/members`)
    await member.getByText('Only owners invite people and change roles.').waitFor()
    await member.getByRole('link', { name: 'Activity' }).first().click()
    await member.getByText('What you did in this workspace.').waitFor()
    await member.getByRole('button', { name: /^Steps: kim joined as a member/ }).waitFor()
    await expect.poll(() => member.getByRole('button', { name: /^Steps: sam/ }).count()).toBe(0)
    await expectAccessible(member)
    await member.goto(`${server.url}/members`)
    await member.getByRole('button', { name: /^Role of/ }).click()
    await expect.poll(() => member.getByRole('menuitem').allInnerTexts()).toEqual(['Leave the workspace'])
    await member.keyboard.press('Escape')
    await expectAccessible(member)
  })

  test('a member duplicates a bundle and edits the duplicate', async () => {
    await member.goto(`${server.url}/bundles`)
    await member.getByRole('link', { name: /dev\/app/ }).click()
    await pickFromMenu(member, 'dev/app', 'Duplicate')
    await member.getByLabel('Name').fill('dev/mine')
    await expectAccessible(member)
    await member.getByRole('button', { name: 'Duplicate' }).click()
    await member.waitForURL('**/apps/dev/mine?new=1')
    await pickFromMenu(member, 'dev/mine', 'Edit')
    await member.getByLabel('Name').fill('dev/ours')
    await member.getByText('do not find it').waitFor()
    await member.getByLabel('Tags (optional)').fill('mine')
    await expectAccessible(member)
    await member.getByRole('button', { name: 'Save' }).click()
    await member.waitForURL('**/apps/dev/ours')
    await member.getByRole('link', { name: 'mine' }).waitFor()
    await openRow(member, 'API_TOKEN')
    await pickFromMenu(member, 'API_TOKEN in dev/ours', 'Remove')
    await member.getByText('No variables yet').waitFor()
  })

  test('a member is offered for several keys what is allowed for each of them', async () => {
    const port = `PORT_${randomUUID().slice(0, 8).toUpperCase()}`
    const workspace = new URL(member.url()).pathname.split('/').slice(0, 3).join('/')
    const body = { name: port, value: '3000', is_secret: false }
    await clientIn(member)('POST', '/api/v1/keys', { body })
    await member.goto(`${server.url}${workspace}/?show=unused`)
    const bar = member.getByRole('region', { name: 'Selection' })
    await member.getByRole('checkbox', { name: `Select ${port}` }).click()
    await expect.poll(() => bar.getByRole('button').allInnerTexts()).toEqual(['Add to a bundle', 'Clear'])
    await bar.getByRole('button', { name: 'Add to a bundle' }).click()
    await member.getByRole('combobox', { name: 'Bundle' }).click()
    const options = member.getByRole('dialog').getByRole('option')
    await expect.poll(() => options.allInnerTexts()).toEqual(['dev/ours'])
    await expectAccessible(member)
    await member.keyboard.press('Escape')
    await options.waitFor({ state: 'detached' })
    await member.getByRole('combobox', { name: 'Bundle', expanded: false }).waitFor()
    await member.keyboard.press('Escape')
    await member.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('an owner changes a role, takes it back, limits a member, and revokes invitations', async () => {
    await owner.goto(`${server.url}/members`)
    const role = owner.getByRole('button', { name: /^Role of kim/ })
    await role.click()
    await owner.getByRole('menuitemradio', { name: 'Owner' }).click()
    await owner.getByText('kim is now owner.').waitFor()
    await owner.getByRole('button', { name: 'Undo' }).click()
    await role.getByText('Member').waitFor()
    await role.click()
    await owner.getByRole('menuitem', { name: 'What they see…' }).click()
    const dialog = owner.getByRole('dialog')
    await dialog.getByLabel('Bundles').fill('dev/')
    await dialog.getByText('Sees only bundles in dev/').waitFor()
    await expectAccessible(owner)
    await dialog.getByRole('button', { name: 'Limit', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    const kim = owner.getByRole('listitem').filter({ hasText: 'kim' })
    await kim.getByText('Sees only bundles in dev/').waitFor()
    await owner.getByLabel('E-mail').fill('lee@example.com, max@example.com')
    await owner.getByRole('button', { name: 'Limit or group' }).click()
    await owner.getByLabel('Sees').fill('partner/')
    await owner.getByRole('button', { name: 'Invite', exact: true }).click()
    const links = owner.getByText(`${server.url}/invite/`)
    await expect.poll(() => links.count()).toBe(2)
    const first = await links.last().innerText()
    await owner.getByText('Sees only bundles in partner/').last().waitFor()
    await owner.getByRole('button', { name: 'New link for lee@example.com' }).click()
    await expect.poll(async () => (await links.allInnerTexts()).includes(first)).toBe(false)
    await expect.poll(() => links.count()).toBe(2)
    await owner.getByRole('button', { name: 'Withdraw the invitation of max@example.com' }).click()
    await owner.getByRole('button', { name: 'Withdraw the invitation of lee@example.com' }).click()
    await links.waitFor({ state: 'detached' })
    await owner.getByText('Invited as').waitFor({ state: 'detached' })
  })

  test('an owner makes a group, changes who is in it, and deletes it', async () => {
    await owner.goto(`${server.url}/members`)
    const groups = owner.getByRole('list', { name: 'Groups' })
    const dialog = owner.getByRole('dialog')
    await owner.getByText('No groups yet.').waitFor()
    await owner.getByRole('button', { name: 'New group' }).click()
    await dialog.getByLabel('Name').fill('Partners')
    const adds = dialog.getByLabel('Adds to limits')
    await adds.pressSequentially('qa/\npartner/')
    expect(await adds.inputValue()).toBe('qa/\npartner/')
    await adds.fill('partner/')
    await dialog.getByRole('checkbox', { name: /^kim/ }).check()
    await expectAccessible(owner)
    await dialog.getByRole('button', { name: 'Create group' }).click()
    await dialog.waitFor({ state: 'detached' })
    await groups.getByText('kim. Adds partner/').waitFor()
    await owner.getByRole('button', { name: 'Change Partners' }).click()
    // Only whom the identity provider added can be taken out.
    await dialog.getByRole('checkbox', { name: /^kim/ }).waitFor()
    expect(await dialog.getByRole('checkbox', { name: /^Take out/ }).count()).toBe(0)
    await dialog.getByRole('checkbox', { name: /^kim/ }).uncheck()
    expect(await dialog.getByRole('checkbox', { name: /^Partners/ }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await groups.getByText('Nobody yet. Adds partner/').waitFor()
    await owner.getByRole('button', { name: 'Delete Partners' }).click()
    await dialog.getByRole('button', { name: 'Delete group' }).click()
    await dialog.waitFor({ state: 'detached' })
    await owner.getByText('No groups yet.').waitFor()
  })

  test('a person who joined asks for an own workspace, and switches between the two', async () => {
    const tenants = () => clientIn(member)('GET', '/api/v1/tenants')
    expect(await tenants()).toHaveLength(1)
    await clientIn(member)('POST', '/api/v1/tenants', { body: { name: "kim's workspace" } })
    await member.goto(`${server.url}/bundles`)
    await member.getByRole('link', { name: /dev\/app/ }).waitFor()
    teamPage = member.url()
    await member.getByRole('button', { name: /^Workspace .* Member$/ }).click()
    await member.getByRole('list', { name: 'Your workspaces' }).waitFor()
    await expectAccessible(member)
    await member.getByRole('link', { name: "kim's workspace" }).click()
    await member.getByText('Bring in your first .env file').waitFor()
    expect(member.url()).not.toBe(teamPage)
    await member.reload()
    await member.getByText('Bring in your first .env file').waitFor()
    await member.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(member)
    await expectAccessible(member)
  })

  test('a member approves a request of a terminal', async () => {
    const cookies = await member.context().cookies()
    const [, workspace = ''] = /\/w\/([\w-]+)/.exec(teamPage) ?? []
    const headers = {
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      origin: server.url,
      'keyferry-workspace': workspace,
    }
    const bundles = await createClient(server.url)('GET', '/api/v1/bundles', { headers })
    const bundleId = bundles.find(({ name }) => name === 'dev/app')?.id ?? ''
    await deliver(server.url, { bundleId, names: ['API_TOKEN'], headers })
  })

  test('a removed member keeps only the own workspace', async () => {
    await owner.goto(`${server.url}/members`)
    await member.goto(teamPage)
    await heading(member, 'Applications').waitFor()
    await owner.getByRole('button', { name: /^Role of kim/ }).click()
    await owner.getByRole('menuitem', { name: 'Remove kim' }).click()
    await owner.getByRole('dialog').getByText('can no longer see or approve anything').waitFor()
    await owner.getByText(/^They know \d+ values? that (is|are) still current/).waitFor()
    await expectAccessible(owner)
    await owner.getByRole('button', { name: 'Remove member' }).click()
    const current = owner.getByRole('list', { name: 'Values that were given' })
    await current.getByRole('link', { name: 'API_TOKEN' }).waitFor()
    await expectAccessible(owner)
    await current.getByLabel('API_TOKEN is changed at its source').check()
    await owner.getByRole('button', { name: 'Done' }).click()
    await owner.goto(`${server.url}/activity?group=rules`)
    await owner.getByRole('button', { name: 'Steps: sam removed kim' }).click()
    await owner.getByText(/^They were given.* still current/).waitFor()
    await owner.getByRole('list', { name: 'Values that were given' }).getByText('dev/app').waitFor()
    expect(await current.getByLabel('API_TOKEN is changed at its source').isChecked()).toBe(true)
    await expectAccessible(owner)
    await owner.goto(`${server.url}/activity`)
    await owner.getByLabel('Person or machine').selectOption('kim (former member)')
    await owner.getByRole('button', { name: 'Steps: kim joined as a member' }).waitFor()
    const refusal = heading(member, 'You are not a member of this workspace')
    // The open page may have asked by itself.
    await member.getByRole('link', { name: 'Machines', exact: true }).or(refusal).first().click()
    await refusal.waitFor()
    await member.goto(`${server.url}/bundles`)
    await member.getByText("kim's workspace").waitFor()
    await member.goto(teamPage)
    await heading(member, 'You are not a member of this workspace').waitFor()
    await expectAccessible(member)
    await member.getByRole('button', { name: "kim's workspace" }).last().click()
    await member.getByText('Bring in your first .env file').waitFor()
  })

  test("another person's invitation leads from this session to its own sign-up", async () => {
    const body = { email: 'ann@example.com', role: 'member' } as const
    const { token } = await clientIn(owner)('POST', '/api/v1/invitations', { body })
    const page = await openPage(browser)
    await page.goto(`${server.url}/sign-in`)
    await signIn(page, OWNER)
    await heading(page, 'Applications').waitFor()
    await page.goto(`${server.url}/invite/${token}`)
    await page.getByText('Sign in as ann@example.com to join.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Create the account and join' }).waitFor()
    await closePage(page)
  })

  test('sign out everywhere ends every session', async () => {
    const elsewhere = await openPage(browser)
    await elsewhere.goto(`${server.url}/sign-in`)
    await signIn(elsewhere, OWNER)
    await heading(elsewhere, 'Applications').waitFor()
    await owner.goto(`${server.url}/settings`)
    await owner.getByRole('button', { name: 'Sign out everywhere' }).click()
    await heading(owner, 'Secrets reach a terminal').waitFor()
    await elsewhere.getByRole('link', { name: 'Machines', exact: true }).click()
    await heading(elsewhere, 'Sign in').waitFor()
    expect(new URL(elsewhere.url()).searchParams.get('return_to')).toMatch(/^\/w\/[\w-]+\/machines$/)
    await closePage(elsewhere)
  })
})
