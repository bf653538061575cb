import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  openPage,
  pressArmed,
  recordAnswers,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { SERVER_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

const TEXT = `# the shop
export DATABASE_URL="postgres://shop:planted-password@db.example/shop"
LOG_LEVEL=debug # louder
PORT=3000
this line says nothing
REDIS_URL=*****
NEW_TOKEN='planted-token'
PUBLIC_URL=https://shop.example
PEM="-----BEGIN PRIVATE KEY-----
planted"
`

const content = (page: WatchedPage) => page.getByLabel('Content of the .env or JSON file')
const row = (page: WatchedPage, name: string) => page.getByRole('listitem').filter({ hasText: name })

describe.skipIf(!hasBrowser())('import in the browser', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    browser = await sharedBrowser()
  })

  beforeEach(async () => {
    await server?.dispose()
    server = await startServer()
    await createLibrary(server.url)
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function open(path: string): Promise<WatchedPage> {
    const page = await openPage(browser)
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1, name: 'Bring in' }).waitFor()
    return page
  }

  async function itemsOf(bundleName: string) {
    const call = createClient(server.url)
    const bundle = (await call('GET', '/api/v1/bundles')).find(({ name }) => name === bundleName)
    const params = { bundle_id: bundle?.id ?? '' }
    return (await call('GET', '/api/v1/bundles/{bundle_id}', { params })).items
  }

  test('the preview says what the server would do with each line, and writes nothing', async () => {
    const page = await open('/bundles/import?bundle=dev/app')
    const before = await itemsOf('dev/app')
    await content(page).fill(TEXT)
    await row(page, 'DATABASE_URL').getByText('dev/worker keeps its value').waitFor()
    await expect.poll(() => row(page, 'PORT').innerText()).toContain('stays as it is')
    await expect
      .poll(() => row(page, 'REDIS_URL').innerText())
      .toContain('keeps the value shared with dev/worker')
    await expect.poll(() => row(page, 'NEW_TOKEN').innerText()).toContain('New')
    await expect
      .poll(() => row(page, 'PEM').innerText())
      .toContain('It looks like a PEM block that is cut off.')
    await page.getByText('Line 5: expected NAME=value, but there is no =.').waitFor()
    await page.getByText('3 new, 2 own, 1 same, 1 kept').waitFor()
    for (const name of ['NEW_TOKEN', 'PUBLIC_URL'])
      await expect.poll(() => page.getByLabel(`Who can read ${name}`).inputValue()).toBe('secret')
    const preview = await page.getByRole('region', { name: 'Preview' }).innerText()
    expect(preview).not.toContain('planted-')
    expect(await itemsOf('dev/app')).toEqual(before)
    await expectAccessible(page)
    await closePage(page)
  })

  test('what was chosen is written, in the order of the text; secrets never come back', async () => {
    const page = await open('/bundles/import')
    const answers = recordAnswers(page)
    await page.getByLabel('Bundle').fill('staging/app')
    await content(page).fill(TEXT)
    await page.getByText(/keeps the stored value, and the bundle has none/).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Leave it out' }).click()
    await page.getByRole('checkbox', { name: 'PEM', exact: true }).uncheck()
    await page
      .getByText('New variables are secret. LOG_LEVEL, PORT, PUBLIC_URL do not look secret.')
      .waitFor()
    await page.getByRole('button', { name: 'Mark these 3 as not secret' }).click()
    await page.getByLabel('Who can read PUBLIC_URL').selectOption('Secret')
    await page.getByRole('button', { name: 'Import 5 variables' }).click()
    await page.getByRole('heading', { name: 'Imported' }).waitFor()
    await page.getByText('Into staging/app: 2 new, 2 own, 1 shared.').waitFor()
    await page.getByText('keyferry run staging/app').waitFor()
    await expectAccessible(page)
    const items = await itemsOf('staging/app')
    expect(items.map(({ key_name, value }) => `${key_name}=${value}`)).toEqual([
      'STAGING_APP_DATABASE_URL=*****',
      'STAGING_APP_LOG_LEVEL=debug',
      'PORT=3000',
      'NEW_TOKEN=*****',
      'PUBLIC_URL=*****',
    ])
    expect(`${answers.join()} ${await page.content()} ${page.url()}`).not.toContain('planted-')
    await closePage(page)
  })

  test('a line that differs from a shared value: own, kept, or replaced for every bundle', async () => {
    const page = await open('/bundles/import?bundle=dev/app')
    await content(page).fill('LOG_LEVEL=debug\nDATABASE_URL=x\nPORT=3000')
    const choice = (name: string) => page.getByLabel(`What to do with ${name}`)
    await choice('DATABASE_URL').selectOption('Keep the shared value')
    await row(page, 'DATABASE_URL').getByText('keeps the value shared with').waitFor()
    await choice('LOG_LEVEL').selectOption('Replace it everywhere')
    await row(page, 'LOG_LEVEL').getByText('also changes dev/worker').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Import 3 variables' }).click()
    await page.getByText('Into dev/app: 1 replaced everywhere, 1 same, 1 kept.').waitFor()
    const worker = await itemsOf('dev/worker')
    expect(worker.find(({ name }) => name === 'LOG_LEVEL')?.value).toBe('debug')
    await closePage(page)
  })

  test('one choice counts for all, and a secret that production would share with dev is named', async () => {
    const page = await open('/bundles/import?bundle=prod/extra')
    await content(page).fill('LOG_LEVEL=other\nDATABASE_URL=x')
    const chosen = (name: string) => page.getByLabel(`What to do with ${name}`).inputValue()
    await expect.poll(() => chosen('DATABASE_URL')).toBe('own')
    await page.getByRole('button', { name: 'All shared values' }).click()
    for (const name of ['LOG_LEVEL', 'DATABASE_URL']) await expect.poll(() => chosen(name)).toBe('share')
    const warning = page.getByText('Production and another environment share a secret: DATABASE_URL')
    await warning.waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Use own values for these' }).click()
    await expect.poll(() => chosen('DATABASE_URL')).toBe('own')
    await warning.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'All own values' }).click()
    await expect.poll(() => chosen('LOG_LEVEL')).toBe('own')
    await closePage(page)
  })

  test('a plan that is no longer true is made again, and nothing is written before it was seen', async () => {
    const page = await open('/bundles/import?bundle=prod/shop/mail')
    await content(page).fill('SMTP_HOST=other')
    await row(page, 'SMTP_HOST').getByText('Updated').waitFor()
    const [host] = (await itemsOf('prod/shop/mail')).filter(({ name }) => name === 'SMTP_HOST')
    const call = createClient(server.url)
    const ci = (await call('GET', '/api/v1/bundles')).find(({ name }) => name === 'ci')
    await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', {
      params: { bundle_id: ci?.id ?? '', key_id: host?.id ?? '' },
    })
    const act = page.getByRole('button', { name: 'Import 1 variable' })
    await act.scrollIntoViewIfNeeded()
    for (const x of [40, 60]) await page.mouse.move(x, 40)
    await act.click()
    await page.getByText('Something changed while you looked at the preview').waitFor()
    await row(page, 'SMTP_HOST').getByText('ci keeps its value').waitFor()
    await expectAccessible(page)
    expect((await itemsOf('prod/shop/mail')).find(({ name }) => name === 'SMTP_HOST')?.value).toBe(
      'smtp.example.com',
    )
    await pressArmed(page, 'Import 1 variable')
    await page.getByText('Into prod/shop/mail: 1 own.').waitFor()
    expect((await itemsOf('ci')).find(({ name }) => name === 'SMTP_HOST')?.value).toBe('smtp.example.com')
    await closePage(page)
  })

  test('a file is chosen, and JSON is read as well', async () => {
    const page = await open('/bundles/import?bundle=dev/json')
    const file = join(server.dataDir, 'values.json')
    await writeFile(file, '{\n  "A": "1",\n  "B": null\n}')
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByText('Line 3: the value of B is not a text.').waitFor()
    await page.getByRole('button', { name: 'Import 1 variable' }).click()
    await page.getByRole('heading', { name: 'Imported' }).waitFor()
    expect((await itemsOf('dev/json')).map(({ name }) => name)).toEqual(['A'])
    await closePage(page)
  })

  test('the library of another server arrives as its plan says; a file that is not one is refused', async () => {
    const team = await startServer()
    onTestFinished(() => team.dispose())
    const env = { PATH: process.env['PATH'], HOME: server.dataDir, DATA_DIR: server.dataDir }
    const words = [SERVER_PROGRAM, 'export-library', team.url]
    const { stdout } = spawnSync(process.execPath, words, { env, encoding: 'utf8' })
    const page = await openPage(browser)
    await page.goto(`${team.url}/bundles/move`)
    const choose = (text: string) =>
      page
        .getByLabel('File to import')
        .setInputFiles({ name: 'library.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    const refusal = page.getByRole('alert')
    const { keyferry_library, kid, box_base64 } = JSON.parse(stdout)
    const others = [{ kid, box_base64 }, { keyferry_library, box_base64 }, { keyferry_library, kid }, null]
    for (const other of others) {
      await choose(stdout)
      await page.getByText('prod/shop/app', { exact: true }).waitFor()
      expect(await refusal.count()).toBe(0)
      await choose(JSON.stringify(other))
      await refusal.getByText('This is not a complete file of').waitFor()
      expect(await page.getByText('prod/shop/app', { exact: true }).count()).toBe(0)
    }
    await choose(JSON.stringify({ keyferry_library, kid: 'x', box_base64 }))
    await refusal.getByText('Could not move this:').waitFor()
    await choose('no JSON')
    await refusal.getByText('This is not a complete file of').waitFor()
    expect(await refusal.count()).toBe(1)
    await choose(stdout)
    const act = page.getByRole('button', { name: /^Move 5 bundles and \d+ variables$/ })
    await act.waitFor()
    await page.route('**/api/v1/library-moves', (route) =>
      route.fulfill({ status: 500, json: { error: 'x', code: 'internal' } }),
    )
    await act.click()
    await refusal.getByText('Could not move this: The server made a mistake').waitFor()
    await page.unroute('**/api/v1/library-moves')
    await choose(stdout)
    await act.waitFor()
    expect(await refusal.count()).toBe(0)
    await act.click()
    await page.getByRole('heading', { name: 'Moved' }).waitFor()
    const names = (await createClient(team.url)('GET', '/api/v1/bundles')).map(({ name }) => name)
    expect(names.toSorted()).toEqual(['ci', 'dev/app', 'dev/worker', 'prod/shop/app', 'prod/shop/mail'])
    await closePage(page)
  })

  test('a file is dropped', async () => {
    const page = await open('/bundles/import?bundle=dev/dropped')
    await content(page).waitFor()
    // Otherwise the browser would open the file in place of the page.
    const areTaken = await page.evaluate(`
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(['A=1'], '.env'))
      const drag = { dataTransfer, bubbles: true, cancelable: true }
      const field = document.querySelector('textarea');
      ['dragover', 'drop'].map((name) => !field.dispatchEvent(new DragEvent(name, drag)))`)
    expect(areTaken).toEqual([true, true])
    await expect.poll(() => content(page).inputValue()).toBe('A=1')
    await page.getByRole('button', { name: 'Import 1 variable' }).waitFor()
    await closePage(page)
  })

  test('a part of the app that does not load says so instead of showing nothing', async () => {
    const page = await openPage(browser)
    await page.route('**/bring-in-page-*.js', (route) => route.abort())
    await page.goto(`${server.url}/bundles/import`)
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor()
    await expectAccessible(page)
    await page.unroute('**/bring-in-page-*.js')
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { name: 'Bring in' }).waitFor()
    await page.context().close()
  })

  test('a missing or bad bundle name is reported next to the field', async () => {
    const page = await open('/bundles/import')
    await content(page).fill('A=1')
    await page.getByRole('button', { name: 'Import 1 variable' }).click()
    await page.getByText('Give the bundle a name.').waitFor()
    await page.getByLabel('Bundle').fill('a b')
    await page.getByRole('button', { name: 'Import 1 variable' }).click()
    await page.getByText('Use letters, digits, /, - and _ only.').waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  test('a refusal of the server is shown, the text stays, and the same text twice writes nothing', async () => {
    const page = await open('/bundles/import?bundle=dev/again')
    await content(page).fill('FIRST=1\nSECOND=2')
    await page.getByText('2 new').waitFor()
    await page.route('**/api/v1/imports', (route) =>
      route.fulfill({ status: 500, json: { error: 'x', code: 'internal' } }),
    )
    await page.getByRole('button', { name: 'Import 2 variables' }).click()
    await page.getByText('Could not import this: The server made a mistake').waitFor()
    await expectAccessible(page)
    await page.unroute('**/api/v1/imports')
    await page.getByRole('button', { name: 'Import 2 variables' }).click()
    await page.getByRole('heading', { name: 'Imported', exact: true }).waitFor()
    expect((await itemsOf('dev/again')).map(({ name }) => name)).toEqual(['FIRST', 'SECOND'])
    await page.getByRole('button', { name: 'Import more' }).click()
    await content(page).fill('FIRST=1\nSECOND=2')
    await page.getByText('The bundle has all of this already.').waitFor()
    expect(await page.getByRole('button', { name: 'Import 2 variables' }).isDisabled()).toBe(true)
    await closePage(page)
  })
})
