import { createClient } from '@keyferry/contract/client'
import { LIMITS } from '@keyferry/contract/limits'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const SPARE = ['A_HOST', 'B_PORT', 'C_URL', 'D_TOKEN', 'E_URL', 'F_KEY', 'G_KEY']

const row = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })
const bar = (page: Page) => page.getByRole('region', { name: 'Selection' })
const act = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true }).click()

// One story, told in order: each test goes on where the one before it ended.
describe.skipIf(!hasBrowser())('several keys at once, in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let bundleIds: ReadonlyMap<string, string>

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    bundleIds = (await createLibrary(server.url)).bundles
    for (const name of SPARE)
      await createClient(server.url)('POST', '/api/v1/keys', { body: { name, value: 'x', is_secret: true } })
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function open(path: string, width = 1280): Promise<WatchedPage> {
    const page = await openPage(browser, { viewport: { width, height: 860 } })
    await page.goto(server.url + path)
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .waitFor()
    return page
  }

  async function namesIn(bundle: string): Promise<string[]> {
    const params = { bundle_id: bundleIds.get(bundle) ?? '' }
    const { items } = await createClient(server.url)('GET', '/api/v1/bundles/{bundle_id}', { params })
    return items.map(({ name }) => name)
  }

  async function library(): Promise<Map<string, boolean>> {
    const keys = await createClient(server.url)('GET', '/api/v1/keys')
    return new Map(keys.map(({ name, is_secret }) => [name, is_secret]))
  }

  test('rows are ticked by pointer and keyboard, in ranges with Shift, all shown at once', async () => {
    const page = await open('/?show=unused')
    await row(page, 'A_HOST').click()
    await row(page, 'D_TOKEN').click({ modifiers: ['Shift'] })
    await bar(page).getByText('4 variables selected').waitFor()
    await expectAccessible(page)
    await row(page, 'C_URL').focus()
    await page.keyboard.press('Space')
    await bar(page).getByText('3 variables selected').waitFor()
    await row(page, 'F_KEY').focus()
    await page.keyboard.press('Space')
    await row(page, 'G_KEY').focus()
    await page.keyboard.press('Shift+Space')
    await bar(page).getByText('5 variables selected').waitFor()
    await page.getByLabel('Filter variables').fill('url')
    await bar(page).getByText('5 variables selected, 5 not shown').waitFor()
    await page.getByRole('checkbox', { name: 'Select all shown' }).click()
    await bar(page).getByText('7 variables selected, 5 not shown').waitFor()
    await page.getByRole('checkbox', { name: 'Select all shown' }).click()
    await bar(page).getByText('5 variables selected, 5 not shown').waitFor()
    await act(page, 'Clear')
    expect(await bar(page).getByRole('button').count()).toBe(0)
    await closePage(page)
  })

  test('variables of no bundle are added to one by one call', async () => {
    const page = await open('/?show=unused')
    await row(page, 'A_HOST').click()
    await row(page, 'B_PORT').click()
    await act(page, 'Add to a bundle')
    const dialog = page.getByRole('dialog', { name: 'Add 2 variables to a bundle' })
    expect(await dialog.getByRole('button', { name: 'Add' }).isDisabled()).toBe(true)
    await dialog.getByRole('combobox').fill('dev/worker')
    await dialog.getByRole('option', { name: 'dev/worker' }).first().waitFor()
    await page.keyboard.press('Enter')
    await expectAccessible(page)
    const calls: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && !request.url().endsWith('/uses')) calls.push(request.url())
    })
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByText('Added 2 variables to dev/worker.').waitFor()
    expect(calls).toEqual([`${server.url}/api/v1/keys/batch`])
    expect(await namesIn('dev/worker')).toEqual([
      'DATABASE_URL',
      'REDIS_URL',
      'LOG_LEVEL',
      'A_HOST',
      'B_PORT',
    ])
    expect(await bar(page).getByRole('button').count()).toBe(0)
    await closePage(page)
  })

  test('a refusal names the variable, adds nothing and keeps the selection', async () => {
    const call = createClient(server.url)
    const { id: key_id } = await call('POST', '/api/v1/keys', { body: { name: 'CI_TOKEN', value: 'x' } })
    const params = { bundle_id: bundleIds.get('ci') ?? '', key_id }
    await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params, body: { as: 'C_URL' } })
    const page = await open('/?show=unused')
    await row(page, 'C_URL').click()
    await row(page, 'D_TOKEN').click()
    await act(page, 'Add to a bundle')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox').fill('ci')
    await dialog.getByRole('option', { name: 'ci' }).first().waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Add' }).click()
    await dialog.getByRole('alert').getByText('already delivers C_URL').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await bar(page).getByText('2 variables selected').waitFor()
    expect(await namesIn('ci')).toEqual(['NPM_TOKEN', 'C_URL'])
    await call('DELETE', '/api/v1/keys/{key_id}', { params: { key_id } })
    await closePage(page)
  })

  test('delete names the variables and the bundles that change', async () => {
    const page = await open(`/bundles/${bundleIds.get('dev/app')}`)
    await row(page, 'DATABASE_URL').click()
    await row(page, 'REDIS_URL').click()
    await act(page, 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete 2 variables?' })
    const bundles = dialog.getByRole('list', { name: 'Bundles' }).getByRole('listitem')
    await bundles.first().waitFor()
    await expect
      .poll(() => bundles.allInnerTexts())
      .toEqual(['dev/app (2 variables)', 'dev/worker (2 variables)'])
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Delete 2 variables' }).click()
    await page.getByText('Deleted 2 variables.').waitFor()
    await row(page, 'DATABASE_URL').waitFor({ state: 'detached' })
    expect([...(await library()).keys()]).not.toContain('DATABASE_URL')
    await closePage(page)
  })

  test('a key that another person deletes leaves the selection; the action does nothing and says so', async () => {
    const page = await open(`/bundles/${bundleIds.get('dev/app')}`)
    await row(page, 'PORT').click()
    await row(page, 'STRIPE_SECRET_KEY').click()
    await act(page, 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This changes').waitFor()
    const call = createClient(server.url)
    const gone = (await call('GET', '/api/v1/keys')).find(({ name }) => name === 'PORT')
    await call('DELETE', '/api/v1/keys/{key_id}', { params: { key_id: gone?.id ?? '' } })
    for (const x of [40, 60]) await page.mouse.move(x, 40)
    await dialog.getByRole('button', { name: 'Delete 2 variables' }).click()
    await dialog.getByRole('alert').getByText('not in the library').waitFor()
    await bar(page).getByText('1 variable selected').waitFor({ state: 'attached' })
    expect([...(await library()).keys()]).toContain('STRIPE_SECRET_KEY')
    await closePage(page)
  })

  test('it fits on a phone', async () => {
    for (const path of ['/?show=unused', `/bundles/${bundleIds.get('prod/shop/mail')}`]) {
      const page = await open(path, 360)
      await page
        .getByRole('checkbox', { name: /^Select / })
        .first()
        .click()
      await page.getByRole('checkbox', { name: 'Select all shown' }).click()
      await bar(page).getByRole('button', { name: 'Delete' }).waitFor()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await closePage(page)
    }
  })

  test('no more keys are selected than one call can change', async () => {
    const call = createClient(server.url)
    const { id } = await call('POST', '/api/v1/tenants', { body: { name: 'Large' } })
    const entries = Array.from({ length: LIMITS.batchKeys + 9 }, (_, at) => ({
      name: `N${at}`,
      value: `${at}`,
    }))
    const headers = { 'keyferry-workspace': id }
    const { bundle_id } = await call('POST', '/api/v1/imports', {
      body: { bundle: 'large', entries },
      headers,
    })
    const page = await open(`/w/${id}/bundles/${bundle_id}`)
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .click()
    await page.getByRole('checkbox', { name: 'Select all shown' }).click()
    await bar(page).getByText('500 variables selected, the most at once').waitFor()
    await act(page, 'Delete')
    await page.getByRole('button', { name: 'Delete 500 variables' }).click()
    await page.getByText('Deleted 500 variables.').waitFor()
    expect(await call('GET', '/api/v1/keys', { headers })).toHaveLength(9)
    await closePage(page)
  })
})
