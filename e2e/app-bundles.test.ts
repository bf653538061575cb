import { createClient } from '@keyferry/contract/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
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
import { type RunningServer, startServer } from './start-server.ts'

const shownNames = async (page: Page) =>
  (await page.getByRole('rowheader').allInnerTexts()).map((name) => name.trim().replace(/_\d+$/, ''))

describe.skipIf(!hasBrowser())('bundles in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let bundleId: string

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    await createLibrary(server.url)
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  // Each test gets a new bundle to change.
  let stories = 0
  beforeEach(async () => {
    stories += 1
    const keys = ['ONE', 'TWO', 'THREE'].map((name) => ({
      name: `${name}_${stories}`,
      value: 'x',
      is_secret: true,
    }))
    const ids = await createLibrary(server.url, [{ name: `story/${stories}`, keys }])
    bundleId = ids.bundles.get(`story/${stories}`) ?? ''
  })

  async function open(path: string, options = {}): Promise<WatchedPage> {
    const page = await openPage(browser, options)
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  async function storedNames(): Promise<string[]> {
    const params = { bundle_id: bundleId }
    const { items } = await createClient(server.url)('GET', '/api/v1/bundles/{bundle_id}', { params })
    return items.map(({ name }) => name.replace(/_\d+$/, ''))
  }

  test('an address with the name of a bundle, as keyferry open prints it, leads to its page', async () => {
    const page = await open('/bundles?open=prod/shop/mail')
    await page.waitForURL('**/apps/prod/shop/mail')
    await page.getByRole('button', { name: 'SMTP_HOST', exact: true }).waitFor()
    await closePage(page)
  })

  test('applications by environments: one tab stop, arrows, and a filter that the address keeps', async () => {
    const page = await open('/bundles?tag=shop')
    const table = page.getByRole('table', { name: 'Applications' })
    await expect
      .poll(() => table.getByRole('columnheader').allInnerTexts())
      .toEqual(['Application', 'dev', 'prod/shop'])
    await expect
      .poll(() => table.getByRole('rowheader').allInnerTexts())
      .toEqual([expect.stringMatching(/^app/)])
    await page.getByLabel('Tag').selectOption('')
    await table.getByRole('link', { name: /^ci: 1 variable, never fetched/ }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('/')
    await page.keyboard.type('shop')
    await table.getByRole('link', { name: /^ci: / }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?query=shop')
    await page.reload()
    const stops = table.locator('[tabindex="0"]')
    await expect.poll(() => stops.count()).toBe(1)
    await stops.focus()
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
    const focused = () =>
      page.evaluate(
        '(document.activeElement.querySelector(".sr-only")?.textContent ?? document.activeElement.getAttribute("aria-label"))',
      )
    await expect.poll(focused).toBe('prod/shop/mail: 2 variables, never fetched, production')
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).toBe('Create dev/mail')
    expect(await stops.count()).toBe(1)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('dev/mail')
    await closePage(page)
  })

  test('create: a bad or taken name is reported next to the field, a good one leads to the bundle', async () => {
    const page = await open('/')
    await page.getByRole('button', { name: 'New', exact: true }).click()
    const name = page.getByLabel('Name')
    await name.fill('/x')
    await page.keyboard.press('Enter')
    await page.getByText('The name cannot begin or end with /').waitFor()
    await name.fill('dev/app')
    await page.keyboard.press('Enter')
    await page.getByText('Bundle with this name already exists.').waitFor()
    await expectAccessible(page)
    await name.fill(`new/alone${stories}`)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/apps/new/alone${stories}`)
    await page.getByText('No variables yet').waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  test('required, remove, and undo with place and mark', async () => {
    const page = await open(`/bundles/${bundleId}`)
    const menu = `TWO_${stories} in story/${stories}`
    await openRow(page, `TWO_${stories}`)
    await pickFromMenu(page, menu, 'Required')
    await page.getByText('Required', { exact: true }).waitFor()
    await pickFromMenu(page, menu, 'Remove')
    await expect.poll(storedNames).toEqual(['ONE', 'THREE'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(storedNames).toEqual(['ONE', 'TWO', 'THREE'])
    await page.getByText('Required', { exact: true }).waitFor()
    await closePage(page)
  })

  test('the line that starts a program is copied', async () => {
    const page = await open(`/bundles/${bundleId}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: `Copy the command for story/${stories}` }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied: unknown = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(`keyferry run story/${stories} --server ${server.url} -- npm run dev`)
    await closePage(page)
  })

  test('what the old endpoints stored is one line, and one click converts all of it', async () => {
    const call = createClient(server.url)
    const params = { bundle_id: bundleId }
    for (const [key, is_secret] of [
      ['OLD_OPEN', false],
      ['OLD_SECRET', true],
    ] as const)
      await call('POST', '/api/v1/bundles/{bundle_id}/items', {
        params,
        body: { key, value: 'old', is_secret },
      })
    const page = await open(`/bundles/${bundleId}`)
    await page.getByText(`story/${stories} has 2 old items: OLD_OPEN, OLD_SECRET.`).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Convert' }).click()
    await page.getByText(`story/${stories} has no old items now.`).waitFor()
    await page.getByText('has 2 old items').waitFor({ state: 'detached' })
    const { items } = await call('GET', '/api/v1/bundles/{bundle_id}', { params })
    expect(items.filter(({ id }) => id === null)).toEqual([])
    expect(items.map(({ name, is_secret }) => [name, is_secret])).toEqual(
      expect.arrayContaining([
        ['OLD_OPEN', false],
        ['OLD_SECRET', true],
      ]),
    )
    await closePage(page)
  })

  test('delete says what stays, and can be undone', async () => {
    const page = await open(`/bundles/${bundleId}`)
    await pickFromMenu(page, `story/${stories}`, 'Delete')
    await page.getByText('Its 3 variables are not deleted.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Delete bundle' }).click()
    await page.getByText(`Deleted story/${stories}.`).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: new RegExp(`^story/${stories}: `) }).click()
    await expect.poll(() => shownNames(page)).toEqual(['ONE', 'THREE', 'TWO'])
    await closePage(page)
  })

  test('an unknown bundle and an unknown page say so', async () => {
    const page = await open('/bundles/3f9a9d5e-4a0e-45f8-9a47-3d0c6e1c1a77')
    await page.getByRole('heading', { name: 'Bundle not found' }).waitFor()
    await expectAccessible(page)
    const response = await page.goto(`${server.url}/nowhere`)
    expect(response?.status()).toBe(404)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  // Light pages are accessible in e2e/every-page.test.ts, which opens a wider phone.
  test('every page fits on the narrowest phone, and stays accessible in the dark', async () => {
    const viewport = { width: 360, height: 740 }
    const page = await openPage(browser, { viewport, hasTouch: true, colorScheme: 'dark' })
    for (const path of [
      '/',
      `/bundles/${bundleId}`,
      '/bundles/import',
      '/expiry',
      '/?show=unused',
      '/settings',
    ]) {
      await page.goto(server.url + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)
    }
    await closePage(page)
  })
})
