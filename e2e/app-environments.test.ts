import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  openPage,
  pickFromMenu,
  recordAnswers,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

describe.skipIf(!hasBrowser())('one variable with several values, in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let stories = 0
  let dev: string
  let prod: string
  let urlKey: string

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  // Each test gets two new environments that share two keys.
  beforeEach(async () => {
    stories += 1
    const keys = [
      { name: `URL_${stories}`, value: 'planted-shared', is_secret: true },
      { name: `LEVEL_${stories}`, value: 'info', is_secret: false },
    ]
    const ids = await createLibrary(server.url, [
      { name: `dev/app${stories}`, keys },
      { name: `prod/app${stories}`, keys },
      { name: `other/${stories}`, keys: [{ name: `SPARE_${stories}`, value: 'spare', is_secret: false }] },
    ])
    dev = ids.bundles.get(`dev/app${stories}`) ?? ''
    prod = ids.bundles.get(`prod/app${stories}`) ?? ''
    urlKey = ids.keys.get(`URL_${stories}`) ?? ''
  })

  async function open(path: string, options = {}): Promise<WatchedPage> {
    const page = await openPage(browser, options)
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  async function delivered(bundleId: string) {
    const params = { bundle_id: bundleId }
    const { items } = await createClient(server.url)('GET', '/api/v1/bundles/{bundle_id}', { params })
    return items.map(({ name, key_name }) => `${name}=${key_name}`)
  }

  test('a row says which bundles share it; the bundle gets its own value and the others keep theirs', async () => {
    const page = await open(`/bundles/${prod}`)
    const answers = recordAnswers(page)
    const name = `URL_${stories}`
    const row = page.locator('[data-id]').filter({ hasText: name })
    await row.getByText(`shared with dev/app${stories}`).waitFor()
    const warning = page.getByText(`Production and another environment share a secret: ${name}`)
    await warning.waitFor()
    await row.getByRole('button', { name: `Edit the value of ${name}` }).click()
    await page.getByLabel(`Value of ${name} in prod/app${stories}`).fill('planted-own')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save here only' }).click()
    await page.getByText(`Saved ${name} in prod/app${stories}.`).waitFor()
    await row.getByText('shared with').waitFor({ state: 'detached' })
    expect(await warning.count()).toBe(0)
    expect(await delivered(prod)).toContain(`${name}=PROD_APP${stories}_${name}`)
    expect(await delivered(dev)).toContain(`${name}=${name}`)
    expect(`${answers.join()} ${await page.content()}`).not.toContain('planted-')
    await closePage(page)
  })

  test('rename what is delivered: a bad and a taken name are refused, and it can be undone', async () => {
    const page = await open(`/bundles/${prod}`)
    const name = `URL_${stories}`
    await pickFromMenu(page, name, 'Rename')
    const field = page.getByLabel('Delivered name')
    await field.fill('A B')
    await page.keyboard.press('Enter')
    await page.getByText('Use letters, digits and _ only.').waitFor()
    await field.fill(`LEVEL_${stories}`)
    await page.keyboard.press('Enter')
    await page.getByText(/already delivers a key as LEVEL/).waitFor()
    await expectAccessible(page)
    await field.fill('DATABASE_URL')
    await page.keyboard.press('Enter')
    await page.getByText(`prod/app${stories} delivers DATABASE_URL.`).waitFor()
    await expect.poll(() => delivered(prod)).toContain(`DATABASE_URL=${name}`)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => delivered(prod)).toContain(`${name}=${name}`)
    await closePage(page)
  })

  test('another key delivers the same name in the same place', async () => {
    const page = await open(`/bundles/${prod}`)
    const name = `URL_${stories}`
    await pickFromMenu(page, name, 'Use another key')
    await page.getByRole('combobox', { name: 'Key' }).fill(`SPARE_${stories}`)
    await page.getByRole('option', { name: `SPARE_${stories}` }).click()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await expect
      .poll(() => delivered(prod))
      .toEqual([`${name}=SPARE_${stories}`, `LEVEL_${stories}=LEVEL_${stories}`])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => delivered(prod)).toEqual([`${name}=${name}`, `LEVEL_${stories}=LEVEL_${stories}`])
    await closePage(page)
  })

  test('detaching from production asks first; undoing keeps the delivered name', async () => {
    const params = { bundle_id: prod, key_id: urlKey }
    const path = '/api/v1/bundles/{bundle_id}/keys/{key_id}'
    await createClient(server.url)('PUT', path, { params, body: { as: 'DATABASE_URL' } })
    const page = await open(`/bundles/${prod}`)
    await pickFromMenu(page, 'DATABASE_URL', 'Detach')
    const dialog = page.getByRole('dialog', { name: 'Detach DATABASE_URL from production?' })
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Detach' }).click()
    await expect.poll(() => delivered(prod)).toHaveLength(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => delivered(prod)).toContain(`DATABASE_URL=URL_${stories}`)
    await closePage(page)
  })

  test('a copy of its own with the same value, and back', async () => {
    const page = await open(`/bundles/${prod}`)
    const name = `URL_${stories}`
    await pickFromMenu(page, name, 'Stop sharing: own copy')
    await page.getByText(`prod/app${stories} has its own ${name}, with the same value.`).waitFor()
    expect(await delivered(prod)).toContain(`${name}=PROD_APP${stories}_${name}`)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => delivered(prod)).toContain(`${name}=${name}`)
    await closePage(page)
  })

  test('a shared value is edited in its place for all of its bundles', async () => {
    const page = await open(`/bundles/${prod}`)
    const name = `LEVEL_${stories}`
    await page.getByRole('button', { name: `Edit the value of ${name}` }).click()
    await page.getByLabel(`Value of ${name} in prod/app${stories}`).fill('warn')
    await page.getByRole('button', { name: 'Save in all 2 bundles' }).click()
    await page.getByText(`Saved ${name} in 2 bundles.`).waitFor()
    await page
      .getByRole('button', { name: `Edit the value of ${name}` })
      .getByText('warn')
      .waitFor()
    expect(await delivered(prod)).toContain(`${name}=${name}`)
    await closePage(page)
  })

  test('editing a shared key asks: everywhere, which names the bundles', async () => {
    const page = await open(`/keys/${urlKey}/change`)
    await page.getByLabel('New value').fill('planted-everywhere')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog', { name: `Where does URL_${stories} change?` })
    await dialog.getByText('In all 2 bundles').waitFor()
    await dialog.getByText(`dev/app${stories}`).waitFor()
    await dialog.getByText(`prod/app${stories}`).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Change all 2 bundles' }).click()
    await page.getByText(`Saved URL_${stories} as version 2.`).waitFor()
    expect(await delivered(prod)).toContain(`URL_${stories}=URL_${stories}`)
    await closePage(page)
  })

  test('… or only in the bundle that the person came from, which gets its own key', async () => {
    const page = await open(`/bundles/${prod}`)
    await page.getByRole('link', { name: `LEVEL_${stories}` }).click()
    await page.getByRole('link', { name: 'Change' }).first().click()
    await page.getByLabel('Value', { exact: true }).fill('debug')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const bundle = page.getByLabel('Bundle that gets its own value')
    expect(await bundle.inputValue()).toBe(prod)
    const secret = page.getByRole('dialog').getByRole('checkbox', { name: 'Secret' })
    await expect.poll(() => secret.isChecked()).toBe(true)
    await expectAccessible(page)
    await secret.uncheck()
    await page.getByRole('button', { name: 'Change only this bundle' }).click()
    await page.getByRole('list', { name: 'Used in' }).getByText(`prod/app${stories}`).waitFor()
    await page.getByRole('region', { name: 'Value' }).getByText('debug').waitFor()
    const tabs = page.getByRole('navigation', { name: 'Environment' }).getByRole('link')
    await expect
      .poll(() => tabs.allInnerTexts())
      .toEqual([/^dev\s+v1$/, /^prod\s+v\d$/].map((tab) => expect.stringMatching(tab)))
    expect(await delivered(dev)).toContain(`LEVEL_${stories}=LEVEL_${stories}`)
    await closePage(page)
  })

  test('a duplicate starts a new environment: shared keys, copies, and a new value right there', async () => {
    const page = await open(`/bundles/${dev}`)
    await pickFromMenu(page, `dev/app${stories}`, 'Duplicate')
    await page.getByLabel('Name', { exact: true }).fill(`qa/app${stories}`)
    await page.getByRole('button', { name: 'Own copy of all' }).click()
    await page.getByRole('checkbox', { name: `LEVEL_${stories} own copy` }).uncheck()
    await page.getByLabel(`New value of URL_${stories}`).fill('planted-qa')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: `qa/app${stories}` }).waitFor()
    await page.getByText(`shared with dev/app${stories} and 1 more`).waitFor()
    expect(await delivered(dev)).toEqual([
      `URL_${stories}=URL_${stories}`,
      `LEVEL_${stories}=LEVEL_${stories}`,
    ])
    await closePage(page)
  })
})
