import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import { cellOf, closePage, openPage, type WatchedPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

describe.skipIf(!hasBrowser())('text arrives as it was', () => {
  let server: RunningServer
  let browser: Browser

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    await createLibrary(server.url)
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  async function open(path: string): Promise<WatchedPage> {
    const page = await openPage(browser)
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  const call = () => createClient(server.url)

  async function createKey(name: string, value: string) {
    return await call()('POST', '/api/v1/keys', { body: { name, value, is_secret: false } })
  }

  const storedValue = async (keyId: string) =>
    (await call()('GET', '/api/v1/keys/{key_id}', { params: { key_id: keyId } })).value

  test('CRLF and lone CR survive an edit of another character', async () => {
    const { id } = await createKey('LINES', 'first\r\nsecond\rthird\n')
    const page = await open(`/keys/${id}/change`)
    const field = page.getByLabel('Value of LINES')
    await expect.poll(() => field.inputValue()).toBe('first\nsecond\nthird\n')
    await field.press('Control+Home')
    await page.keyboard.type('the ')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved LINES, v2.').waitFor()
    expect(await storedValue(id)).toBe('the first\r\nsecond\rthird\n')
    await closePage(page)
  })

  test('the Enter that ends a word of an input method saves nothing', async () => {
    const { id } = await createKey('WORD', 'before')
    const bundle = await call()('POST', '/api/v1/bundles', { body: { name: 'dev/words' } })
    await call()('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', {
      params: { bundle_id: bundle.id, key_id: id },
    })
    const page = await open(`/bundles/${bundle.id}`)
    await cellOf(page, 'WORD', 'dev').click()
    const field = page.getByLabel('Value of WORD in dev/words')
    await field.fill('')
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
    // The input method takes the key, so it types no line break.
    await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter' })
    await expect.poll(() => field.inputValue()).toBe('にほん')
    expect(await storedValue(id)).toBe('before')
    await devtools.send('Input.insertText', { text: '日本' })
    await page.keyboard.press('Enter')
    await page.getByText('Saved WORD in dev/words, v2.').waitFor()
    expect(await storedValue(id)).toBe('日本')
    await closePage(page)
  })

  test('a file that is not UTF-8 is refused by name, and of several dropped files none is read', async () => {
    const page = await open('/bundles/import?bundle=dev/latin')
    const content = page.getByLabel('Content of the .env or JSON file')
    const latin1 = Buffer.from('NAME=caf\xe9', 'latin1')
    await page
      .getByLabel('File to import')
      .setInputFiles({ name: 'old.env', mimeType: 'text/plain', buffer: latin1 })
    await page.getByText('old.env is not UTF-8 text. Save it as UTF-8, then choose it again.').waitFor()
    const dropped = await page.evaluateHandle(`
      const data = new DataTransfer()
      for (const name of ['a.env', 'b.env']) data.items.add(new File(['A=1'], name))
      data`)
    await content.dispatchEvent('drop', { dataTransfer: dropped })
    await page.getByText('Choose one file at a time: none of the 2 was read.').waitFor()
    expect(await content.inputValue()).toBe('')
    await closePage(page)
  })

  test('a refused clipboard says so', async () => {
    const page = await open('/')
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('NotAllowedError'))")
    await page.getByRole('link', { name: 'dev/app' }).first().click()
    await page
      .getByRole('button', { name: /^Copy / })
      .first()
      .click()
    await page.getByText('The browser did not allow copying. Select the text and copy it.').waitFor()
    await closePage(page)
  })
})
