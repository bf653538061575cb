import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  cellOf,
  closePage,
  expectAccessible,
  openPage,
  openRow,
  pickFromMenu,
  pressArmed,
  recordAnswers,
  saveInAll,
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

  test('a secret that production shares is named; production gets its own value, and dev keeps the other', async () => {
    const page = await open(`/bundles/${prod}`)
    const answers = recordAnswers(page)
    const name = `URL_${stories}`
    const warning = page.getByText(`Production and another environment share a secret: ${name}`)
    await warning.waitFor()
    await cellOf(page, name, 'prod').click()
    await page.getByLabel(`Value of ${name} in prod/app${stories}`).fill('planted-own')
    await page.getByText('dev keeps v1.').waitFor()
    await expectAccessible(page)
    await pressArmed(page, 'Save in prod')
    await page.getByText(`Saved ${name} in prod/app${stories}, v2.`).waitFor()
    await warning.waitFor({ state: 'detached' })
    expect(await delivered(prod)).toContain(`${name}=PROD_APP${stories}_${name}`)
    expect(await delivered(dev)).toContain(`${name}=${name}`)
    expect(`${answers.join()} ${await page.content()}`).not.toContain('planted-')
    await closePage(page)
  })

  test('rename what is delivered: a bad and a taken name are refused, and it can be undone', async () => {
    const page = await open(`/bundles/${prod}`)
    const name = `URL_${stories}`
    await openRow(page, name)
    await pickFromMenu(page, `${name} in prod/app${stories}`, 'Rename')
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

  test('removing from production asks first; undoing keeps the delivered name', async () => {
    const params = { bundle_id: prod, key_id: urlKey }
    const path = '/api/v1/bundles/{bundle_id}/keys/{key_id}'
    await createClient(server.url)('PUT', path, { params, body: { as: 'DATABASE_URL' } })
    const page = await open(`/bundles/${prod}`)
    await openRow(page, 'DATABASE_URL')
    await pickFromMenu(page, `DATABASE_URL in prod/app${stories}`, 'Remove')
    await page.getByRole('dialog', { name: 'Remove DATABASE_URL from production?' }).waitFor()
    await expectAccessible(page)
    await pressArmed(page, 'Remove')
    await expect.poll(() => delivered(prod)).toHaveLength(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => delivered(prod)).toContain(`DATABASE_URL=URL_${stories}`)
    await closePage(page)
  })

  test('a shared key is changed everywhere, which names the bundles and confirms production', async () => {
    const page = await open(`/keys/${urlKey}/change`)
    await page.getByLabel(`Value of URL_${stories} in dev/app`).fill('planted-everywhere')
    await saveInAll(page)
    await expectAccessible(page)
    await pressArmed(page, 'Save in prod too')
    await page.getByText(`Saved URL_${stories} in 2 bundles, v2.`).waitFor()
    expect(await delivered(prod)).toContain(`URL_${stories}=URL_${stories}`)
    await closePage(page)
  })

  test('… or only in the bundle that the person came from, which gets its own key', async () => {
    const page = await open(`/bundles/${prod}`)
    await openRow(page, `LEVEL_${stories}`)
    await page.getByRole('link', { name: 'History and holders' }).click()
    await page.getByRole('link', { name: 'Change' }).first().click()
    await page.getByLabel(`Value of LEVEL_${stories} in prod/app${stories}`).fill('debug')
    await expectAccessible(page)
    await pressArmed(page, 'Save in prod')
    await page.getByRole('list', { name: 'Used in' }).getByText(`prod/app${stories}`).waitFor()
    await page.getByRole('region', { name: 'Value' }).getByText('debug').waitFor()
    const tabs = page.getByRole('navigation', { name: 'Environment' }).getByRole('link')
    await expect
      .poll(() => tabs.allInnerTexts())
      .toEqual([/^dev\s+v1$/, /^prod\s+v\d$/].map((tab) => expect.stringMatching(tab)))
    expect(await delivered(dev)).toContain(`LEVEL_${stories}=LEVEL_${stories}`)
    await closePage(page)
  })

  test('what one bundle gets in place of a readable composed text is secret', async () => {
    const call = createClient(server.url)
    const body = {
      name: `TEXT_${stories}`,
      value: `at:\${URL_${stories}}`,
      is_secret: false,
      is_template: true,
    }
    const { id: key_id } = await call('POST', '/api/v1/keys', { body })
    for (const bundle_id of [dev, prod]) {
      const params = { bundle_id, key_id }
      await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params, body: {} })
    }
    const page = await open(`/keys/${key_id}/change?bundle=${dev}`)
    await page.getByRole('checkbox', { name: 'Composed of other values' }).uncheck()
    await page.getByLabel(`Value of TEXT_${stories} in`).fill('planted-whole')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(`Saved TEXT_${stories} in dev/app${stories}, v2.`).waitFor()
    const { items } = await call('GET', '/api/v1/bundles/{bundle_id}', { params: { bundle_id: dev } })
    const own = items.find(({ name }) => name === `TEXT_${stories}`)
    expect(own).toMatchObject({ is_secret: true, value: '*****' })
    await closePage(page)
  })

  test('a duplicate starts a new environment: shared keys, and copies that stay secret or readable', async () => {
    const page = await open(`/bundles/${dev}`)
    await pickFromMenu(page, `dev/app${stories}`, 'Duplicate')
    await page.getByLabel('Name', { exact: true }).fill(`qa/app${stories}`)
    await page.getByRole('button', { name: 'All own values' }).click()
    await page.getByLabel(`What to do with LEVEL_${stories}`).selectOption('share')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.waitForURL(`**/apps/qa/app${stories}?new=1`)
    await cellOf(page, `LEVEL_${stories}`, 'qa').getByText('the same as dev').waitFor({ state: 'attached' })
    expect(await delivered(dev)).toEqual([
      `URL_${stories}=URL_${stories}`,
      `LEVEL_${stories}=LEVEL_${stories}`,
    ])
    await closePage(page)
  })
})
