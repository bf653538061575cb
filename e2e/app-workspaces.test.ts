import { createClient } from '@keyferry/contract/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

describe.skipIf(!hasBrowser())('two workspaces in two tabs', () => {
  let server: RunningServer
  let browser: Browser
  let first: WatchedPage
  let second: Page
  let own: string
  let other: string

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    const call = createClient(server.url)
    own = (await call('GET', '/api/v1/me')).tenant.id
    await call('POST', '/api/v1/bundles', { body: { name: 'dev/app' } })
    other = (await call('POST', '/api/v1/tenants', { body: { name: 'Other' } })).id
  })

  beforeEach(async () => {
    first = await openPage(browser)
    second = await first.context().newPage()
    await first.goto(`${server.url}/w/${own}/bundles`)
    await heading(first, 'Applications').waitFor()
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  // The second tab switches as a person does, which also moves the session's current workspace.
  async function switchInSecondTab(): Promise<void> {
    await second.goto(`${server.url}/w/${own}/bundles`)
    await second.getByRole('button', { name: /^Workspace / }).click()
    await second.getByRole('link', { name: 'Other' }).click()
    await second.waitForURL(`${server.url}/w/${other}/`)
    await heading(second, 'Applications').waitFor()
  }

  async function keyNames(tenantId: string): Promise<string[]> {
    const headers = { 'keyferry-workspace': tenantId }
    return (await createClient(server.url)('GET', '/api/v1/keys', { headers })).map(({ name }) => name)
  }

  test('a variable that a page began lands in the workspace that the page shows', async () => {
    await first.goto(`${server.url}/w/${own}/apps/dev/app`)
    await first.getByRole('button', { name: 'Add variable' }).first().click()
    await first.getByLabel('Name', { exact: true }).fill('FIRST_TAB')
    await switchInSecondTab()
    await first.getByLabel('Value in dev/app').fill('typed')
    await first.getByRole('button', { name: 'Add to dev' }).click()
    await first.getByText('Added FIRST_TAB to dev/app.').waitFor()
    expect(await keyNames(own)).toContain('FIRST_TAB')
    expect(await keyNames(other)).not.toContain('FIRST_TAB')
    await closePage(first)
  })

  test('an import is written to the workspace that its preview was read from', async () => {
    await first.goto(`${server.url}/w/${own}/bundles/import?bundle=dev/app`)
    await first.getByLabel('Content of the .env or JSON file').fill('IMPORTED=1\nFIRST_TAB=2\n')
    await first.getByRole('button', { name: 'Import 2 variables' }).waitFor()
    await switchInSecondTab()
    await first.getByRole('button', { name: 'Import 2 variables' }).click()
    await first.getByRole('heading', { name: 'Imported' }).waitFor()
    expect(await keyNames(own)).toEqual(expect.arrayContaining(['FIRST_TAB', 'IMPORTED']))
    expect(await keyNames(other)).toEqual([])
    await closePage(first)
  })

  test('the dialog of a new bundle asks for the workspace, and leads there', async () => {
    await first.goto(`${server.url}/w/${own}/?new=qa/elsewhere`)
    const workspace = first.getByRole('dialog').getByLabel('Workspace')
    await workspace.waitFor()
    expect(await workspace.inputValue()).toBe(own)
    await workspace.selectOption('Other')
    await expectAccessible(first)
    await first.getByRole('button', { name: 'Create bundle' }).click()
    await first.waitForURL(`${server.url}/w/${other}/apps/qa/elsewhere`)
    const headers = { 'keyferry-workspace': own }
    const here = await createClient(server.url)('GET', '/api/v1/bundles', { headers })
    expect(here.map(({ name }) => name)).not.toContain('qa/elsewhere')
    const bundle_id = (
      await createClient(server.url)('GET', '/api/v1/bundles', { headers: { 'keyferry-workspace': other } })
    ).find(({ name }) => name === 'qa/elsewhere')?.id
    await createClient(server.url)('DELETE', '/api/v1/bundles/{bundle_id}', {
      params: { bundle_id: bundle_id ?? '' },
      headers: { 'keyferry-workspace': other },
    })
    await closePage(first)
  })

  test('the first steps of one of several workspaces name it to the terminal', async () => {
    await first.goto(`${server.url}/w/${other}/bundles`)
    await first.getByText(`keyferry import .env --bundle dev/app --workspace ${other}`).waitFor()
    await closePage(first)
  })

  test('an address without a workspace leads to the one that this browser opened last, also in a new session', async () => {
    await switchInSecondTab()
    await createClient(server.url)('POST', '/api/v1/tenants/switch', { body: { tenant_id: own } })
    await first.goto(`${server.url}/expiry?query=a`)
    await heading(first, 'What expires').waitFor()
    expect(first.url()).toBe(`${server.url}/w/${other}/expiry?query=a`)
    await closePage(first)
  })

  test('an address of an unknown workspace says that the person is not a member', async () => {
    await first.goto(`${server.url}/w/3f9a9d5e-4a0e-45f8-9a47-3d0c6e1c1a77/keys`)
    await heading(first, 'You are not a member of this workspace').waitFor()
    await expectAccessible(first)
    await first.getByRole('button', { name: 'Other' }).click()
    await first.waitForURL(`${server.url}/w/${other}/`)
    await closePage(first)
  })

  test('a workspace is created from the switcher and renamed in its settings', async () => {
    await first.getByRole('button', { name: /^Workspace / }).click()
    await first.getByRole('button', { name: 'Create' }).click()
    await first.getByText('Give the workspace a name.').waitFor()
    await first.getByLabel('New workspace').fill('Acme')
    await first.getByRole('button', { name: 'Create' }).click()
    await first.getByRole('button', { name: 'Workspace Acme Owner' }).waitFor()
    await first.getByRole('button', { name: 'Workspace Acme Owner' }).click()
    await first.getByRole('link', { name: 'Settings of this workspace' }).click()
    await first.getByRole('dialog').waitFor({ state: 'detached' })
    await first.getByLabel('Name').fill('Acme Ltd')
    await first.getByRole('button', { name: 'Rename' }).click()
    await first.getByRole('button', { name: 'Workspace Acme Ltd Owner' }).waitFor()
    await expectAccessible(first)
    await closePage(first)
  })

  test('a phone has its places at the bottom, the rest behind More', async () => {
    await first.setViewportSize({ width: 360, height: 740 })
    await first.getByRole('link', { name: 'Activity', exact: true }).click()
    await heading(first, 'Activity').waitFor()
    await expectNoSidewaysScroll(first)
    await first.getByRole('button', { name: 'More', exact: true }).click()
    await expectAccessible(first)
    await first.getByRole('dialog').getByRole('link', { name: 'Settings' }).click()
    await heading(first, 'Settings').waitFor()
    await closePage(first)
  })

  test('a variable of another workspace is one click and one field away', async () => {
    const headers = { 'keyferry-workspace': other }
    const call = createClient(server.url)
    await call('POST', '/api/v1/imports', {
      headers,
      body: {
        bundle: 'prod/billing',
        entries: [{ name: 'SEARCHED_URL', value: 'planted', is_secret: true }],
      },
    })
    await first.getByRole('button', { name: /^Go to/ }).click()
    await first.getByRole('dialog').getByRole('combobox').fill('searched')
    await first.getByRole('option', { name: 'SEARCHED_URL in prod/billing Other' }).waitFor()
    await expectAccessible(first)
    await first.keyboard.press('Enter')
    await first.getByRole('heading', { name: /SEARCHED_URL$/, level: 1 }).waitFor()
    expect(new URL(first.url()).pathname).toMatch(new RegExp(`^/w/${other}/keys/`))
    await closePage(first)
  })
})
