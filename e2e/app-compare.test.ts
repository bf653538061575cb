import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  recordAnswers,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const MANY = 400
const key = (name: string) => ({ name, value: `planted-${name}`, is_secret: true })

describe.skipIf(!hasBrowser())('Compare in the browser', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    await createLibrary(server.url, [
      { name: 'dev/app', keys: ['SENTRY_DSN', 'DATABASE_URL', 'ONLY_DEV', 'ALSO_DEV'].map(key) },
      { name: 'prod/app', keys: ['SENTRY_DSN', 'PROD_ONLY'].map(key) },
      { name: 'qa/app', keys: [] },
    ])
    const importing = createClient(server.url)
    for (const { bundle, value } of [
      { bundle: 'dev/app', value: '3000' },
      { bundle: 'prod/app', value: '8080' },
    ]) {
      const entries = [{ name: 'PORT', value, is_secret: false }]
      await importing('POST', '/api/v1/imports', { body: { bundle, entries, own: ['PORT'] } })
    }
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function open(path: string, options = {}): Promise<WatchedPage> {
    const page = await openPage(browser, options)
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor()
    return page
  }

  async function delivered(name: string) {
    const call = createClient(server.url)
    const bundle = (await call('GET', '/api/v1/bundles')).find((other) => other.name === name)
    const params = { bundle_id: bundle?.id ?? '' }
    const { items } = await call('GET', '/api/v1/bundles/{bundle_id}', { params })
    return items.map((item) => `${item.name}=${item.key_name}`)
  }

  test('the environments of an application are chosen at once; bundles stay in the address', async () => {
    const page = await openPage(browser)
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByText('Choose at least two bundles').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'app: dev, prod, qa' }).click()
    await page.getByRole('row', { name: /^(Select )?SENTRY_DSN/ }).waitFor()
    await page.getByRole('button', { name: 'Remove qa/app' }).click()
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(3)
    expect(new URL(page.url()).searchParams.getAll('bundle')).toEqual(['dev/app', 'prod/app'])
    await page.getByRole('combobox', { name: 'Add a bundle' }).fill('qa')
    await page.getByRole('option', { name: 'qa/app' }).click()
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(4)
    await closePage(page)
  })

  test('missing names come first, with a filter for each state; readable values are shown, and no secret', async () => {
    const page = await openPage(browser)
    const answers = recordAnswers(page)
    await page.goto(`${server.url}/compare?bundle=dev/app&bundle=prod/app`)
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^(Select )?${name}`) })
    await row('SENTRY_DSN').waitFor()
    expect(
      await row('SENTRY_DSN')
        .getByRole('link', { name: /^Same: SENTRY_DSN in / })
        .count(),
    ).toBe(2)
    await row('PROD_ONLY').getByRole('button', { name: 'Missing: PROD_ONLY in dev/app' }).waitFor()
    await row('PROD_ONLY').getByRole('link', { name: 'Own value: PROD_ONLY in prod/app' }).waitFor()
    await row('PORT').getByRole('link', { name: 'Own value: PORT in dev/app 3000' }).waitFor()
    await row('PORT').getByRole('link', { name: 'Own value: PORT in prod/app 8080' }).waitFor()
    const names = await page.getByRole('rowheader').allInnerTexts()
    expect(names.slice(-2)).toEqual(['PORT', 'SENTRY_DSN'])
    await expectAccessible(page)
    for (const name of ['All 6', 'Missing 4', 'Own value 1', 'Same 1'])
      expect(await page.getByRole('button', { name }).count()).toBe(1)
    await page.getByRole('button', { name: 'Missing 4' }).click()
    await row('SENTRY_DSN').waitFor({ state: 'detached' })
    expect(page.url()).toContain('show=missing')
    await page.keyboard.press('/')
    await page.keyboard.type('prod')
    await row('DATABASE_URL').waitFor({ state: 'detached' })
    await row('PROD_ONLY').waitFor()
    expect(answers.join()).not.toContain('planted-')
    await closePage(page)
  })

  test('missing names are copied by the server: tick, copy, confirm; production asks in red', async () => {
    const page = await openPage(browser)
    const answers = recordAnswers(page)
    await page.goto(`${server.url}/compare?siblings=dev/app`)
    await page.getByRole('button', { name: 'Remove qa/app' }).click()
    await page.getByRole('checkbox', { name: 'Select ONLY_DEV' }).click()
    await page.getByRole('checkbox', { name: 'Select DATABASE_URL' }).click()
    await page.getByRole('button', { name: 'Copy 2 to prod/app…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy 2 variables to prod/app' })
    await dialog.getByText('prod/app is for production.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Copy 2 to production' }).click()
    await page.getByText('prod/app has 2 variables more.').waitFor()
    await page.getByRole('link', { name: 'Own value: ONLY_DEV in prod/app' }).waitFor()
    expect(await delivered('prod/app')).toContain('ONLY_DEV=PROD_APP_ONLY_DEV')
    expect(answers.join()).not.toContain('planted-')
    await closePage(page)
  })

  test('… or kept the same', async () => {
    const page = await open('/compare?bundle=dev/app&bundle=qa/app')
    await page.getByRole('checkbox', { name: 'Select ONLY_DEV' }).click()
    await page.getByRole('button', { name: 'Copy 1 to qa/app…' }).click()
    await page.getByRole('checkbox', { name: 'Keep them the same' }).check()
    await page.getByRole('button', { name: 'Copy 1 to qa/app', exact: true }).click()
    await page.getByText('qa/app has 1 variable more.').waitFor()
    expect(await delivered('qa/app')).toContain('ONLY_DEV=ONLY_DEV')
    await closePage(page)
  })

  test('a missing cell takes a new value, which no other bundle gets', async () => {
    const page = await open('/compare?bundle=dev/app&bundle=prod/app')
    await page.getByRole('button', { name: 'Missing: ALSO_DEV in prod/app' }).click()
    await page.getByLabel('Value in prod/app').fill('planted-new')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add to prod/app' }).click()
    await page.getByText('Added ALSO_DEV to prod/app.').waitFor()
    expect(await delivered('prod/app')).toContain('ALSO_DEV=PROD_APP_ALSO_DEV')
    expect(await delivered('dev/app')).toContain('ALSO_DEV=ALSO_DEV')
    await closePage(page)
  })

  test('several hundred names: few rows are in the document, the filter finds the others, a phone fits', async () => {
    const call = createClient(server.url)
    const entries = Array.from({ length: MANY }, (_, index) => ({ name: `NAME_${index}`, value: 'x' }))
    await call('POST', '/api/v1/imports', { body: { bundle: 'big/one', entries } })
    await call('POST', '/api/v1/imports', { body: { bundle: 'big/two', entries: entries.slice(0, -1) } })
    const page = await open('/compare?bundle=big/one&bundle=big/two', {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    })
    await page.getByRole('row', { name: /^(Select )?NAME_0 / }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await page.getByLabel('Filter names').fill(`NAME_${MANY - 1}`)
    await page.getByRole('button', { name: `Missing: NAME_${MANY - 1} in big/two` }).waitFor()
    await closePage(page)
  })
})
