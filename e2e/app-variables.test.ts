import { createClient } from '@keyferry/contract/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  pressArmed,
  recordAnswers,
  sayReadable,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const add = async (page: Page) => await page.getByRole('button', { name: 'Add variable' }).first().click()

describe.skipIf(!hasBrowser())('adding a variable in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let stories = 0
  let ids: ReadonlyMap<string, string>
  const shop = (environment: string) => `${environment}/shop${stories}`

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  // Each test gets an application with three environments, and a bundle that is none of them.
  beforeEach(async () => {
    stories += 1
    const level = { name: `LEVEL_${stories}`, value: 'info', is_secret: false }
    const token = { name: `TOKEN_${stories}`, value: 'planted-token', is_secret: true }
    const library = await createLibrary(server.url, [
      { name: shop('dev'), keys: [level] },
      { name: shop('prod'), keys: [] },
      { name: shop('staging'), keys: [] },
      { name: `worker${stories}`, keys: [token] },
    ])
    ids = library.bundles
  })

  async function open(bundle: string, options = {}): Promise<WatchedPage> {
    const page = await openPage(browser, options)
    await page.goto(`${server.url}/bundles/${ids.get(bundle)}`)
    await page.waitForURL(`**/apps/${bundle}`)
    await page.getByRole('button', { name: 'Add variable' }).first().waitFor()
    return page
  }

  async function itemsOf(bundle: string) {
    const params = { bundle_id: ids.get(bundle) ?? '' }
    return (await createClient(server.url)('GET', '/api/v1/bundles/{bundle_id}', { params })).items
  }
  const delivered = async (bundle: string) =>
    (await itemsOf(bundle)).map(({ name, key_name, value }) => `${name}=${key_name}=${value}`)

  const valueIn = (page: Page, environment: string) => page.getByLabel(`Value in ${shop(environment)}`)
  const howIn = (page: Page, environment: string) =>
    page.getByRole('combobox', { name: `How ${shop(environment)} gets it` })

  test('two values in dev and prod: two clicks and three fields; no secret comes back', async () => {
    const page = await open(shop('prod'))
    const answers = recordAnswers(page)
    await add(page)
    // The field has the focus once the dialog is open.
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('STRIPE_SECRET_KEY')
    await valueIn(page, 'dev').fill('planted-dev')
    await valueIn(page, 'prod').fill('planted-prod')
    expect(await page.getByLabel('Who can read it').inputValue()).toBe('secret')
    await expectAccessible(page)
    await pressArmed(page, 'Add to dev and prod')
    await page.getByText(`Added STRIPE_SECRET_KEY to ${shop('dev')}, ${shop('prod')}.`).waitFor()
    await page.getByRole('button', { name: 'STRIPE_SECRET_KEY', exact: true }).waitFor()
    expect((await itemsOf(shop('dev'))).map(({ name }) => name)).toContain('STRIPE_SECRET_KEY')
    expect((await itemsOf(shop('staging'))).map(({ name }) => name)).toEqual([])
    expect(answers.join()).not.toContain('planted-')
    await closePage(page)
  })

  test('an environment can be the same as another one', async () => {
    const page = await open(shop('dev'))
    await add(page)
    await page.getByLabel('Name', { exact: true }).fill(`PORT_${stories}`)
    expect(await page.getByLabel('Who can read it').inputValue()).toBe('secret')
    await sayReadable(page)
    await valueIn(page, 'dev').fill('3000')
    await howIn(page, 'staging').selectOption('Same as dev')
    const chosen = () => howIn(page, 'staging').locator('option:checked').textContent()
    await valueIn(page, 'dev').fill('')
    await expect.poll(chosen).toBe('Not here')
    await valueIn(page, 'dev').fill('3001')
    await expect.poll(chosen).toBe('Same as dev')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add to dev and staging' }).click()
    await expect.poll(() => delivered(shop('staging'))).toEqual([`PORT_${stories}=PORT_${stories}=3001`])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => delivered(shop('staging'))).toEqual([])
    expect((await delivered(shop('dev'))).join()).not.toContain('PORT_')
    await closePage(page)
  })

  test('a name that exists is no error: this bundle gets its own value', async () => {
    const name = `LEVEL_${stories}`
    const page = await open(shop('prod'))
    await add(page)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await expect.poll(() => howIn(page, 'dev').locator('option:checked').textContent()).toBe('Leave as it is')
    await sayReadable(page)
    await valueIn(page, 'prod').fill('warn')
    await howIn(page, 'prod').selectOption('Not here')
    await howIn(page, 'prod').selectOption('Add')
    expect(await valueIn(page, 'prod').inputValue()).toBe('warn')
    await pressArmed(page, 'Add to prod')
    await expect.poll(() => delivered(shop('prod'))).toEqual([`${name}=PROD_SHOP${stories}_${name}=warn`])
    expect(await delivered(shop('dev'))).toEqual([`${name}=${name}=info`])
    await closePage(page)
  })

  test('… or shares it with a bundle of another application', async () => {
    const name = `TOKEN_${stories}`
    const page = await open(shop('prod'))
    await add(page)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await howIn(page, 'prod').selectOption(`Same as worker${stories}`)
    await page.getByText(`Shared with worker${stories}`).waitFor()
    await pressArmed(page, 'Add to prod')
    await expect.poll(() => delivered(shop('prod'))).toEqual([`${name}=${name}=*****`])
    await closePage(page)
  })

  test('a value that another person adds or changes stays', async () => {
    const page = await open(shop('dev'))
    const name = `RACED_${stories}`
    const imported = (value: string) =>
      createClient(server.url)('POST', '/api/v1/imports', {
        body: { bundle: shop('staging'), entries: [{ name, value, is_secret: false }] },
      })
    await add(page)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await sayReadable(page)
    await valueIn(page, 'dev').fill('mine')
    await valueIn(page, 'staging').fill('mine')
    await imported('theirs')
    await page.getByRole('button', { name: 'Add to dev and staging' }).click()
    await page.getByText(`changed ${name} too.`).waitFor()
    expect(await delivered(shop('dev'))).not.toContain(`${name}=${name}=mine`)
    await page.getByRole('button', { name: 'Save in dev and staging' }).click()
    await page.getByText(`Saved ${name} in ${shop('dev')}, ${shop('staging')}.`).waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)

    const other = `LATER_${stories}`
    await add(page)
    await page.getByLabel('Name', { exact: true }).fill(other)
    await sayReadable(page)
    await valueIn(page, 'staging').fill('first')
    await page.getByRole('button', { name: 'Add to staging' }).click()
    await page.getByText(`Added ${other} to ${shop('staging')}.`).waitFor()
    const key = (await itemsOf(shop('staging'))).find((each) => each.name === other)
    const params = { key_id: key?.id ?? '' }
    await createClient(server.url)('PUT', '/api/v1/keys/{key_id}', { params, body: { value: 'second' } })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(`changed ${other} too.`).waitFor()
    expect((await delivered(shop('staging'))).join()).toContain(`${other}=second`)
    await closePage(page)
  })

  test('what cannot be stored is said beside its field; on a phone it fits', async () => {
    const page = await open(shop('prod'), { viewport: { width: 360, height: 740 }, hasTouch: true })
    await add(page)
    await page.getByRole('button', { name: 'Add to prod' }).click()
    await page.getByText('Give the variable a name.').waitFor()
    await page.getByText('Type a value.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('A B')
    await valueIn(page, 'prod').fill('x ')
    await page.getByText('It ends with blanks.').waitFor()
    for (const x of [40, 60]) await page.mouse.move(x, 40)
    await page.getByRole('button', { name: 'Add to prod' }).click()
    await page.getByText('Use letters, digits and _ only.').waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await closePage(page)
  })

  test('all or nothing: after a refusal no bundle has it, and what was typed stays', async () => {
    const page = await open(shop('dev'))
    await page.route('**/api/v1/imports', (route) =>
      route.fulfill({ status: 503, json: { error: 'x', code: 'unavailable' } }),
    )
    await add(page)
    await page.getByLabel('Name', { exact: true }).fill('LATER')
    await valueIn(page, 'dev').fill('a')
    await valueIn(page, 'prod').fill('b')
    for (const x of [40, 60]) await page.mouse.move(x, 40)
    await page.getByRole('button', { name: 'Add to dev and prod' }).click()
    await page.getByRole('alert').getByText('cannot reach its storage').waitFor()
    await expect.poll(() => valueIn(page, 'prod').inputValue()).toBe('b')
    await page.unroute('**/api/v1/imports')
    await pressArmed(page, 'Add to dev and prod')
    await page.getByText('Added LATER to').waitFor()
    await closePage(page)
  })
})
