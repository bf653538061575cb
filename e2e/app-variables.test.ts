import { createClient } from '@keyferry/contract/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
    await page.getByRole('heading', { level: 1, name: bundle }).waitFor()
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
    await page.keyboard.type('STRIPE_SECRET_KEY')
    await valueIn(page, 'dev').fill('planted-dev')
    await valueIn(page, 'prod').fill('planted-prod')
    expect(await page.getByRole('radio', { name: /^Secret/ }).isChecked()).toBe(true)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add to dev and prod' }).click()
    await page.getByText(`Added STRIPE_SECRET_KEY to ${shop('dev')}, ${shop('prod')}.`).waitFor()
    await page.getByRole('link', { name: 'STRIPE_SECRET_KEY' }).waitFor()
    expect((await itemsOf(shop('dev'))).map(({ name }) => name)).toContain('STRIPE_SECRET_KEY')
    expect((await itemsOf(shop('staging'))).map(({ name }) => name)).toEqual([])
    expect(answers.join()).not.toContain('planted-')
    await closePage(page)
  })

  test('an environment can be the same as another one', async () => {
    const page = await open(shop('dev'))
    await add(page)
    await page.getByLabel('Name', { exact: true }).fill(`PORT_${stories}`)
    expect(await page.getByRole('radio', { name: /^Secret/ }).isChecked()).toBe(true)
    await page.getByText('Readable', { exact: true }).click()
    await valueIn(page, 'dev').fill('3000')
    await howIn(page, 'staging').selectOption('same as dev')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add to dev and staging' }).click()
    await expect.poll(() => delivered(shop('staging'))).toEqual([`PORT_${stories}=PORT_${stories}=3000`])
    await closePage(page)
  })

  test('a name that exists is no error: this bundle gets its own value', async () => {
    const name = `LEVEL_${stories}`
    const page = await open(shop('prod'))
    await add(page)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByText(`${name} exists in ${shop('dev')}.`).waitFor()
    expect(await valueIn(page, 'dev').getAttribute('placeholder')).toBe('as it is')
    await page.getByText('Readable', { exact: true }).click()
    await valueIn(page, 'prod').fill('warn')
    await page.getByRole('button', { name: 'Add to prod' }).click()
    await expect.poll(() => delivered(shop('prod'))).toEqual([`${name}=PROD_SHOP${stories}_${name}=warn`])
    expect(await delivered(shop('dev'))).toEqual([`${name}=${name}=info`])
    await closePage(page)
  })

  test('… or shares it with a bundle of another application; a bundle that is added is remembered', async () => {
    const name = `TOKEN_${stories}`
    const page = await open(shop('prod'))
    await add(page)
    await page.getByText('Add it to another bundle too').click()
    await page.getByRole('combobox', { name: 'Bundle' }).fill('worker')
    await page.getByRole('option', { name: `worker${stories}`, exact: true }).click()
    await page.getByLabel(`Value in worker${stories}`).waitFor()
    await page.keyboard.press('Escape')
    await add(page)
    await page.getByLabel(`Value in worker${stories}`).waitFor()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await howIn(page, 'prod').selectOption(`same as worker${stories}`)
    await page.getByRole('button', { name: 'Add to prod' }).click()
    await expect.poll(() => delivered(shop('prod'))).toEqual([`${name}=${name}=*****`])
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
    await page.getByRole('button', { name: 'Add to dev and prod' }).click()
    await page.getByRole('alert').getByText('cannot reach its storage').waitFor()
    await expect.poll(() => valueIn(page, 'prod').inputValue()).toBe('b')
    await page.unroute('**/api/v1/imports')
    await page.getByRole('button', { name: 'Add to dev and prod' }).click()
    await page.getByText('Added LATER to').waitFor()
    await closePage(page)
  })

  test('the list is at the top of the page; the run command is one line', async () => {
    const page = await open(shop('dev'))
    const box = await page.getByRole('list', { name: 'Variables' }).boundingBox()
    expect(box?.y).toBeLessThanOrEqual(260)
    expect(await page.getByText(`keyferry run ${shop('dev')}`).count()).toBe(1)
    await expectAccessible(page)
    await closePage(page)
  })

  test('a value changes in its place: two clicks and one field, or e and Enter', async () => {
    const page = await open(shop('dev'))
    const name = `LEVEL_${stories}`
    await page.getByRole('button', { name: `Edit the value of ${name}` }).click()
    const field = page.getByLabel(`Value of ${name} in ${shop('dev')}`)
    await field.fill('debug')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`Saved ${name} in ${shop('dev')}.`).waitFor()
    expect(await delivered(shop('dev'))).toEqual([`${name}=${name}=debug`])
    await page.getByRole('link', { name }).focus()
    await page.keyboard.press('e')
    await field.fill('warn')
    await page.keyboard.press('Enter')
    await expect.poll(() => delivered(shop('dev'))).toEqual([`${name}=${name}=warn`])
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(name)
    await closePage(page)
  })

  test('a value is not overwritten if another person changed it after the page loaded', async () => {
    const page = await open(shop('dev'))
    const name = `LEVEL_${stories}`
    await page.getByRole('button', { name: `Edit the value of ${name}` }).click()
    await page.getByLabel(`Value of ${name} in`).fill('mine')
    const call = createClient(server.url)
    const [key] = await call('GET', '/api/v1/keys', { query: { query: name } })
    const params = { key_id: key?.id ?? '' }
    await call('PUT', '/api/v1/keys/{key_id}', { params, body: { value: 'theirs' } })
    // What the tab reads when the person comes back to it does not count as seen.
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    for (const _ of ['first', 'second']) {
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').filter({ hasText: 'changed value' }).waitFor()
      expect(await delivered(shop('dev'))).toEqual([`${name}=${name}=theirs`])
    }
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => delivered(shop('dev'))).toEqual([`${name}=${name}=mine`])
    await closePage(page)
  })

  test('one tab stop a row: arrows go between rows and through one, Space selects, Enter opens', async () => {
    await createClient(server.url)('POST', '/api/v1/imports', {
      body: { bundle: shop('dev'), entries: [{ name: `SECOND_${stories}`, value: 'x' }] },
    })
    const page = await open(shop('dev'))
    const [first, second] = [`LEVEL_${stories}`, `SECOND_${stories}`]
    const focused = () =>
      page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent')
    await page.getByRole('link', { name: first }).focus()
    await page.keyboard.press('Tab')
    expect(await focused()).toBe(second)
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe(first)
    await page.keyboard.press('Space')
    await page.getByRole('region', { name: 'Selection' }).getByText('1 key selected').waitFor()
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe(`Edit the value of ${first}: info`)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await expect.poll(focused).toBe('Edit value')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('Rename')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe(`More for ${first}`)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: second }).waitFor()
    await closePage(page)
  })
})
