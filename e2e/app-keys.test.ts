import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  openPage,
  pickFromMenu,
  recordAnswers,
  saveInAll,
  sayReadable,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

describe.skipIf(!hasBrowser())('keys in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let keyIds: ReadonlyMap<string, string>

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    keyIds = (await createLibrary(server.url)).keys
    await createClient(server.url)('POST', '/api/v1/keys', { body: { name: 'UNUSED', value: 'x' } })
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

  async function storedKey(name: string) {
    const keys = await createClient(server.url)('GET', '/api/v1/keys', { query: { query: name } })
    return keys.find((key) => key.name === name)
  }

  test('variables in no bundle are reached from home, listed, and filtered', async () => {
    const page = await open('/')
    await page.getByRole('link', { name: 'Variables in no bundle' }).click()
    await page.getByRole('heading', { name: 'In no bundle' }).waitFor()
    const links = page.getByRole('list', { name: 'Variables' }).getByRole('link')
    await expect.poll(() => links.allInnerTexts()).toEqual([expect.stringMatching(/^UNUSED/)])
    await page.getByRole('checkbox', { name: 'Select UNUSED' }).click()
    await page.getByRole('button', { name: 'Add to a bundle' }).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Filter variables').fill('nothing')
    await page.getByText('No variable matches.').waitFor()
    expect(page.url()).toContain('query=nothing')
    await closePage(page)
  })

  test('a secret value is replaced without ever being shown; its reach is said before saving', async () => {
    const page = await open(`/keys/${keyIds.get('DATABASE_URL')}/change`)
    const answers = recordAnswers(page)
    const value = page.getByLabel('Value of DATABASE_URL in')
    expect(await value.inputValue()).toBe('')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    expect(await save.isDisabled()).toBe(true)
    await value.fill('planted-new')
    await page.getByText('dev/worker keeps v1.').waitFor()
    await saveInAll(page)
    await expectAccessible(page)
    await save.click()
    await page.getByText('Saved DATABASE_URL in 2 bundles, v2.').waitFor()
    await page.getByText('v2, set by local').waitFor()
    expect(`${answers.join()} ${await page.content()} ${page.url()}`).not.toContain('planted-')
    const stored: unknown = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])',
    )
    expect(stored).not.toContain('planted-')
    await closePage(page)
  })

  test('an empty field keeps the value', async () => {
    const page = await open(`/keys/${keyIds.get('SESSION_SECRET')}/details`)
    await page.getByLabel('Description').fill('signs cookies')
    const [saved] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'PUT'),
      page.getByRole('button', { name: 'Save changes' }).click(),
    ])
    const { expected, ...change } = saved.postDataJSON()
    expect(change).toEqual({ description: 'signs cookies' })
    expect(Object.keys(expected)).toEqual(['description'])
    await page.getByText('Saved SESSION_SECRET.').waitFor()
    await page.getByRole('link', { name: 'Change' }).first().click()
    const field = page.getByLabel('Value of SESSION_SECRET in')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await field.fill('planted-typed')
    await expect.poll(() => save.isDisabled()).toBe(false)
    await field.fill('')
    await expect.poll(() => save.isDisabled()).toBe(true)
    await closePage(page)
  })

  test('making a secret readable warns first', async () => {
    const page = await open(`/keys/${keyIds.get('NPM_TOKEN')}/details`)
    await sayReadable(page)
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Show the value of NPM_TOKEN?' })
    await dialog.getByText('shows its value to every member').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await storedKey('NPM_TOKEN')).toMatchObject({ is_secret: true })
    await closePage(page)
  })

  test('a key declared not secret shows its value at once', async () => {
    const page = await open(`/keys/${keyIds.get('NPM_TOKEN')}/details`)
    await sayReadable(page)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Show to all members' }).click()
    await page.getByText('Saved NPM_TOKEN.').waitFor()
    await page.getByRole('region', { name: 'Value' }).getByText('planted-npm_token').waitFor()
    await closePage(page)
  })

  test('leaving a page with unsaved text asks first', async () => {
    const path = `/keys/${keyIds.get('SESSION_SECRET')}`
    const page = await open(path)
    await pickFromMenu(page, 'SESSION_SECRET', 'Change details')
    await page.getByLabel('Description').fill('half typed')
    const questions: string[] = []
    const answers = [false, false, true]
    page.on('dialog', (dialog) => {
      questions.push(dialog.message())
      void (answers.shift() === true ? dialog.accept() : dialog.dismiss())
    })
    await page.getByRole('link', { name: 'Machines', exact: true }).click()
    await page.evaluate('history.back()')
    await expect.poll(() => questions.length).toBe(2)
    await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('half typed')
    expect(page.url()).toContain(`${path}/details`)
    await page.getByRole('link', { name: 'Machines', exact: true }).click()
    await page.getByRole('heading', { name: 'Machines', level: 1 }).waitFor()
    expect(questions[2]).toContain('not saved')
    await closePage(page)
  })

  test('delete names the bundles that change, and leads back to the applications', async () => {
    const page = await open(`/keys/${keyIds.get('REDIS_URL')}`)
    await pickFromMenu(page, 'REDIS_URL', 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This changes 2 bundles:').waitFor()
    await expect
      .poll(() => dialog.getByRole('listitem').allInnerTexts())
      .toEqual(['dev/app (1 variable)', 'dev/worker (1 variable)'])
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const opener = page.getByRole('button', { name: 'More for REDIS_URL' })
    await expect
      .poll(() => opener.evaluate((button) => button.ownerDocument.activeElement === button))
      .toBe(true)
    await pickFromMenu(page, 'REDIS_URL', 'Delete')
    await page.getByRole('button', { name: 'Delete REDIS_URL' }).click()
    await page.getByText('Deleted REDIS_URL.').waitFor()
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor()
    expect(await storedKey('REDIS_URL')).toBeUndefined()
    await closePage(page)
  })

  test('the palette and the shortcuts go everywhere by the keyboard', async () => {
    const page = await open('/')
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Applications')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    const goTo = async (text: string) => {
      await page.keyboard.press('Control+k')
      await palette.getByRole('combobox').fill(text)
      await palette.getByRole('option', { disabled: false }).first().waitFor()
      await page.keyboard.press('Enter')
      await palette.waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    const answers = Promise.withResolvers<void>()
    await page.route(/\/api\/v1\/(bundles|keys)(\?|$)/, async (route) => {
      await answers.promise
      await route.continue()
    })
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill('dev/worker')
    await palette.getByText('Looking…').waitFor()
    answers.resolve()
    await palette.getByRole('option', { name: /^dev\/worker/ }).waitFor()
    await palette.getByRole('combobox').fill('no such place')
    await palette.getByText('Nothing has this name.').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await goTo('dev worker')
    await page.waitForURL('**/apps/dev/worker')
    await goTo('add variable dev/worker')
    const adding = page.getByRole('dialog', { name: 'Add variable to' })
    await adding.waitFor()
    await page.keyboard.press('Escape')
    await adding.waitFor({ state: 'detached' })
    // On a busy machine more than a second can pass between the two letters.
    const press = async (letters: string, heading: string) => {
      await expect
        .poll(async () => {
          for (const letter of letters) await page.keyboard.press(letter)
          return await page.getByRole('heading', { name: heading, exact: true }).isVisible()
        })
        .toBe(true)
    }
    await press('gs', 'Settings')
    await press('gk', 'In no bundle')
    await closePage(page)
  })

  test('reduced motion disables animations', async () => {
    const page = await openPage(browser, { reducedMotion: 'reduce' })
    await page.goto(server.url)
    await page.getByRole('link', { name: /^dev\/app: / }).waitFor()
    const longest: unknown = await page.evaluate(
      'Math.max(...[...document.querySelectorAll("*")].map((each) => parseFloat(getComputedStyle(each).transitionDuration)))',
    )
    expect(longest).toBeLessThanOrEqual(0.001)
    await closePage(page)
  })

  test('the theme is switched, and stays switched', async () => {
    const page = await open('/')
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await background()
    await page.getByRole('button', { name: /^Theme: as the system/ }).click()
    await page.getByRole('button', { name: /^Theme: light/ }).click()
    await page.getByRole('button', { name: /^Theme: dark/ }).waitFor()
    expect(await background()).not.toBe(light)
    await page.reload()
    await page.getByRole('button', { name: /^Theme: dark/ }).waitFor()
    expect(await background()).not.toBe(light)
    await closePage(page)
  })
})
