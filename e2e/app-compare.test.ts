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
import { hasBrowser, launchBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const MANY = 400
const key = (name: string) => ({ name, value: `planted-${name}`, is_secret: true })

describe.skipIf(!hasBrowser())('Compare in the browser', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), launchBrowser()])
    await createLibrary(server.url, [
      { name: 'dev/app', keys: ['SENTRY_DSN', 'DATABASE_URL', 'ONLY_DEV', 'ALSO_DEV'].map(key) },
      { name: 'prod/app', keys: ['SENTRY_DSN', 'PROD_ONLY'].map(key) },
      { name: 'qa/app', keys: [] },
    ])
  })

  afterAll(async () => {
    await browser?.close()
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

  test('bundles are chosen by name, stay in the address, and peers are offered', async () => {
    const page = await openPage(browser)
    await page.goto(server.url)
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByText('Choose at least two bundles').waitFor()
    await expectAccessible(page)
    await page.getByRole('combobox', { name: 'Add a bundle' }).fill('dev')
    await page.getByRole('option', { name: 'dev/app' }).click()
    await page.getByRole('button', { name: 'Add prod/app, qa/app' }).click()
    await page.getByRole('row', { name: /^SENTRY_DSN/ }).waitFor()
    await page.getByRole('button', { name: 'Remove qa/app' }).click()
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(3)
    expect(new URL(page.url()).searchParams.getAll('bundle')).toEqual(['dev/app', 'prod/app'])
    await closePage(page)
  })

  test('marks have text, a filter keeps what is missing or differs, and no value comes to the browser', async () => {
    const page = await openPage(browser)
    const answers = recordAnswers(page)
    await page.goto(`${server.url}/compare?bundle=dev/app&bundle=prod/app`)
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
    await row('SENTRY_DSN').waitFor()
    expect(await row('SENTRY_DSN').innerText()).toMatch(/Shared: key SENTRY_DSN\s+Shared: key SENTRY_DSN/)
    expect(await row('PROD_ONLY').innerText()).toMatch(/Missing: PROD_ONLY in dev.app\s+Own: key PROD_ONLY/)
    await expectAccessible(page)
    await page.getByRole('checkbox', { name: /^Only missing or differing/ }).check()
    await row('SENTRY_DSN').waitFor({ state: 'detached' })
    expect(page.url()).toContain('show=differing')
    await page.keyboard.press('/')
    await page.keyboard.type('prod')
    await row('DATABASE_URL').waitFor({ state: 'detached' })
    await row('PROD_ONLY').waitFor()
    expect(answers.join()).not.toContain('planted-')
    await closePage(page)
  })

  test('a missing cell takes a key of the row', async () => {
    const page = await open('/compare?bundle=dev/app&bundle=prod/app')
    await page.getByRole('button', { name: 'Missing: ONLY_DEV in prod/app' }).click()
    await page.getByText('used by dev/app').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Share ONLY_DEV' }).click()
    await page.getByText('prod/app shares ONLY_DEV with dev/app.').waitFor()
    await page.getByRole('button', { name: 'Missing: ONLY_DEV in prod/app' }).waitFor({ state: 'detached' })
    expect(await delivered('prod/app')).toContain('ONLY_DEV=ONLY_DEV')
    await closePage(page)
  })

  test('a missing cell takes a new value, which no other bundle gets', async () => {
    const page = await open('/compare?bundle=dev/app&bundle=prod/app')
    await page.getByRole('button', { name: 'Missing: ALSO_DEV in prod/app' }).click()
    await page.getByRole('button', { name: 'Enter a new value' }).click()
    await page.getByLabel('Value in prod/app').fill('planted-new')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('prod/app has its own ALSO_DEV.').waitFor()
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
    await page.getByRole('row', { name: /^NAME_0 / }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await page.getByLabel('Filter names').fill(`NAME_${MANY - 1}`)
    await page.getByRole('button', { name: `Missing: NAME_${MANY - 1} in big/two` }).waitFor()
    await closePage(page)
  })
})
