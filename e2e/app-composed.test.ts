import { createClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { open as openSealed } from '@keyferry/crypto/open'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  openKeys,
  openPage,
  openRow,
  readRequest,
  recordAnswers,
  sayReadable,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const TEMPLATE = 'postgres://app:${DB_PASSWORD|uri}@${DB_HOST}/app'

describe.skipIf(!hasBrowser())('composed values in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let ids: Awaited<ReturnType<typeof createLibrary>>

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    ids = await createLibrary(server.url, [
      { name: 'dev/app', keys: [{ name: 'DB_HOST', value: 'localhost', is_secret: false }] },
      { name: 'prod/app', keys: [{ name: 'DB_HOST', value: 'localhost', is_secret: false }] },
      { name: 'spare', keys: [{ name: 'DB_PASSWORD', value: 'planted/p@ss', is_secret: true }] },
    ])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  const idOf = (bundle: string) => ids.bundles.get(bundle) ?? ''
  const call = () => createClient(server.url)

  async function open(path: string): Promise<WatchedPage> {
    const page = await openPage(browser)
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  async function attach(bundle: string, key: string) {
    const [found] = await call()('GET', '/api/v1/keys', { query: { query: key } })
    const params = { bundle_id: idOf(bundle), key_id: found?.id ?? '' }
    await call()('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params, body: {} })
  }

  test('a person composes a value and sees which parts the bundle lacks', async () => {
    const page = await open('/apps/dev/app')
    await page.getByRole('button', { name: 'Add variable' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('DATABASE_URL')
    // The text is no secret: its parts are.
    await sayReadable(page)
    await page.getByLabel('Value in dev/app').fill(TEMPLATE)
    await page.getByRole('button', { name: 'Add to dev' }).click()
    await openRow(page, 'DATABASE_URL')
    await page.getByRole('link', { name: 'History and holders' }).click()
    await page.getByRole('link', { name: 'Change' }).first().click()
    await page.getByText('Unless you check this box, it is delivered exactly as written.').waitFor()
    await page.getByRole('checkbox', { name: 'Composed of other values' }).check()
    await page.getByLabel('Value of DATABASE_URL in').fill('postgres://${DB')
    await page.getByText('The ${ at character 12 must begin').waitFor()
    await page.getByLabel('Value of DATABASE_URL in').fill(TEMPLATE)
    await page.getByText('Built from DB_PASSWORD, DB_HOST').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved DATABASE_URL').waitFor()
    await page.goto(`${server.url}/bundles/${idOf('dev/app')}`)
    await openRow(page, 'DATABASE_URL')
    await page.getByText('built from DB_PASSWORD, DB_HOST').waitFor()
    await page.getByText('Cannot be delivered').waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  test('the key’s page shows the parts of every bundle, and keeps up with the text', async () => {
    await attach('prod/app', 'DATABASE_URL')
    await attach('prod/app', 'DB_PASSWORD')
    const [key] = await call()('GET', '/api/v1/keys', { query: { query: 'DATABASE_URL' } })
    const page = await open(`/keys/${key?.id}/change`)
    const parts = page.getByRole('region', { name: 'Parts' })
    await expect
      .poll(() => parts.getByRole('listitem').allInnerTexts())
      .toEqual(['dev/app lacks DB_PASSWORD', 'prod/app has all of them'])
    await page.getByLabel('Value of DATABASE_URL in').fill('${DB_HOST}')
    await expect
      .poll(() => parts.getByRole('listitem').allInnerTexts())
      .toEqual(['dev/app has all of them', 'prod/app has all of them'])
    await expectAccessible(page)
    await closePage(page)
  })

  async function request(names: string[]) {
    const keyPair = generateKeyPair()
    const body = {
      client_pubkey: Buffer.from(keyPair.publicKey).toString('base64'),
      bundle_id: 'prod/app',
      template_keys: names,
    }
    const { id, verification_uri_complete } = await call()('POST', '/api/v1/requests', { body })
    const collect = async () => {
      const answer = await call()('GET', '/api/v1/requests/{request_id}/wait', { params: { request_id: id } })
      if (answer.status !== 'ready') return null
      const plaintext = openSealed(Buffer.from(answer.ciphertext_base64, 'base64'), keyPair)
      return JSON.parse(new TextDecoder().decode(plaintext)) as unknown
    }
    return { path: verification_uri_complete, collect }
  }

  test('the approval page says what a value is built from, and delivers it without its parts', async () => {
    const { path, collect } = await request(['DATABASE_URL'])
    const page = await open(path)
    const answers = recordAnswers(page)
    await openKeys(page)
    await page
      .getByText('Built from DB_PASSWORD, DB_HOST. It contains their values, even if you do not select them.')
      .waitFor()
    await expectAccessible(page)
    await readRequest(page)
    await page.getByRole('button', { name: /^Approve|: approve/ }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    expect(await collect()).toEqual({ DATABASE_URL: 'postgres://app:planted%2Fp%40ss@localhost/app' })
    expect(`${answers.join()} ${await page.content()}`).not.toContain('planted')
    await closePage(page)
  })

  test('a value that lacks a part cannot be chosen, and the page says why', async () => {
    const params = { bundle_id: idOf('prod/app'), key_id: ids.keys.get('DB_PASSWORD') ?? '' }
    await call()('DELETE', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params })
    const { path } = await request(['DATABASE_URL', 'DB_HOST'])
    const page = await open(path)
    await page
      .getByText('Requested, but cannot be built, because the bundle lacks a part: DATABASE_URL')
      .waitFor()
    await openKeys(page)
    await page.getByText('Cannot be built: DB_PASSWORD missing from this bundle.').waitFor()
    const box = page.getByRole('checkbox', { name: /^DATABASE_URL/ })
    expect([await box.isDisabled(), await box.isChecked()]).toEqual([true, false])
    await expect.poll(() => page.getByRole('checkbox', { name: /^DB_HOST/ }).isChecked()).toBe(true)
    await expectAccessible(page)
    await closePage(page)
  })

  test('an application marks composed values, and an import keeps them until the person says otherwise', async () => {
    const page = await open('/apps/dev/app')
    await page.getByRole('button', { name: /^DATABASE_URL in dev: .*composed, lacks DB_PASSWORD/ }).waitFor()
    await expectAccessible(page)
    await page.goto(`${server.url}/bundles/import?bundle=dev/app`)
    await page.getByLabel('Content of the').fill('DATABASE_URL=postgres://other\n')
    await page.getByText('built from DB_PASSWORD, DB_HOST; the value in the file is not used').waitFor()
    await expectAccessible(page)
    await page.getByLabel('What to do with DATABASE_URL').selectOption({ label: 'Own value here' })
    await page.getByRole('button', { name: /^Import 1 variable/ }).click()
    await page.getByRole('heading', { name: 'Imported' }).waitFor()
    const [own] = await call()('GET', '/api/v1/keys', { query: { query: 'DEV_APP_DATABASE_URL' } })
    expect(own).toMatchObject({ is_template: false, is_secret: true })
    await closePage(page)
  })
})
