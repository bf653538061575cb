import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { closePage, openPage, pickFromMenu, type WatchedPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

type Opened = { name: string; path: string; open: (page: Page) => Promise<void>; field: string }

const press = (name: string | RegExp) => async (page: Page) =>
  await page.getByRole('button', { name }).first().click()

const pick = (of: string, item: string) => async (page: Page) => await pickFromMenu(page, of, item)

const NEW_BUNDLE: Opened = {
  name: 'a new bundle',
  path: '/bundles',
  open: press('New bundle'),
  field: 'Name',
}

/** What opens a dialog with a form, on the page of the bundle unless it names another. */
const DIALOGS: readonly Opened[] = [
  NEW_BUNDLE,
  { name: 'the edit of a bundle', path: '', open: pick('dev/app', 'Edit'), field: 'Description (optional)' },
  { name: 'a duplicate', path: '', open: pick('dev/app', 'Duplicate'), field: 'Name' },
  {
    name: 'another delivered name',
    path: '',
    open: pick('LOG_LEVEL', 'Rename'),
    field: 'Delivered name',
  },
  {
    name: 'a new variable',
    path: '',
    open: press('Add variable'),
    field: 'Name',
  },
  { name: 'a new workspace', path: '/keys', open: press(/^Workspace/), field: 'New workspace' },
]

describe.skipIf(!hasBrowser())('text that is not saved', () => {
  let server: RunningServer
  let browser: Browser
  let page: WatchedPage
  let bundlePath: string
  const questions: string[] = []
  const answers: boolean[] = []

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer({ env: ACCOUNTS }), sharedBrowser()])
    const cookie = await setUpOwner(server.url)
    const ids = await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))
    bundlePath = `/bundles/${ids.bundles.get('dev/app')}`
    page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    page.on('dialog', (dialog) => {
      questions.push(dialog.message())
      void (answers.shift() === true ? dialog.accept() : dialog.dismiss())
    })
  })

  afterAll(async () => {
    await closePage(page)
    await closePages(browser)
    await server?.dispose()
  })

  /** Go to a page; the page before may hold text. */
  async function goTo(path: string): Promise<void> {
    answers.splice(0, answers.length, true)
    await page.goto(`${server.url}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    answers.length = 0
    questions.length = 0
  }

  async function open({ path, open: opening, field }: Opened): Promise<void> {
    await goTo(path === '' ? bundlePath : path)
    await opening(page)
    await page.getByRole('dialog').getByLabel(field).waitFor()
  }

  test.each(DIALOGS)('$name: closing the dialog asks first', async (opened) => {
    await open(opened)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(opened.field).fill('HALF_TYPED')
    answers.push(false, false, true)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await expect.poll(() => questions.length).toBe(2)
    await expect.poll(() => dialog.getByLabel(opened.field).inputValue()).toBe('HALF_TYPED')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(new Set(questions)).toEqual(
      new Set(['You have text here that is not saved. Close this and lose it?']),
    )
    expect(questions).toHaveLength(3)
  })

  test.each(DIALOGS)('$name: without a change nothing is asked', async (opened) => {
    await open(opened)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(questions).toEqual([])
  })

  test('Cancel asks, too', async () => {
    await open(NEW_BUNDLE)
    await page.getByLabel('Name').fill('dev/new')
    answers.push(false, true)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('dev/new')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(questions).toHaveLength(2)
  })

  test('a dialog without a form closes without a question, even if the page below has unsaved text', async () => {
    await goTo('/settings')
    await page.getByLabel('Name', { exact: true }).fill('Half typed')
    await press(/^Workspace /)(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(questions).toEqual([])
    await page.getByLabel('Name', { exact: true }).fill("sam's workspace")
  })

  test.each([
    ['the name of the workspace', 'Settings', 'Name'],
    ['an invitation', 'Members', 'E-mail'],
  ])('%s: leaving the page asks first', async (_what, place, field) => {
    await goTo('/bundles')
    await page.getByRole('link', { name: place }).click()
    answers.push(false, true)
    await page.getByLabel(field, { exact: true }).fill('half@example.com')
    await page.getByRole('link', { name: 'Keys' }).click()
    await expect.poll(() => page.getByLabel(field, { exact: true }).inputValue()).toBe('half@example.com')
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    expect(questions).toEqual(
      Array(2).fill('You have text here that is not saved. Leave this page and lose it?'),
    )
  })

  test('saving asks nothing', async () => {
    await open(NEW_BUNDLE)
    await page.getByLabel('Name').fill('dev/saved')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'dev/saved' }).waitFor()
    await pick('dev/saved', 'Edit')(page)
    await page.getByLabel('Description (optional)').fill('kept')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('kept').waitFor()
    await pick('dev/saved', 'Duplicate')(page)
    await page.getByLabel('Name').fill('dev/saved2')
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'dev/saved2' }).waitFor()
    await press(/^Workspace /)(page)
    await page.getByLabel('New workspace').fill('Acme')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('button', { name: /^Workspace Acme/ }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Acme Ltd')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('button', { name: /^Workspace Acme Ltd/ }).waitFor()
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByLabel('E-mail').fill('lee@example.com')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('Send this link').waitFor()
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    expect(questions).toEqual([])
  })
})
