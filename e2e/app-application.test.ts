import { createClient } from '@keyferry/contract/client'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  isInView,
  openPage,
  pickFromMenu,
  pressArmed,
  recordAnswers,
  saveInAll,
  sayReadable,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { createMachine, fetchAsMachine } from './machine-calls.ts'
import { type RunningServer, startServer } from './start-server.ts'

const MANY = 400
const MOST_ROWS = 62
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true }

/** Counts what a person does: a click, a field that they fill, a key that they press. */
function counting() {
  const did = { clicks: 0, typed: 0 }
  return {
    did,
    click: async (target: Locator) => {
      did.clicks += 1
      await target.click()
    },
    type: async (target: Locator, text: string) => {
      did.typed += 1
      await target.fill(text)
    },
  }
}

describe.skipIf(!hasBrowser())('an application in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let stories = 0
  let ids: Awaited<ReturnType<typeof createLibrary>>

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  const app = (environment: string) => `${environment}/app${stories}`
  const named = (name: string) => `${name}_${stories}`
  const call = () => createClient(server.url)

  // Each test has an application with three environments: dev and staging share two keys; prod lacks some.
  beforeEach(async () => {
    stories += 1
    const secret = (name: string) => ({ name: named(name), value: `planted-${name}`, is_secret: true })
    const level = { name: named('LEVEL'), value: 'info', is_secret: false }
    ids = await createLibrary(server.url, [
      { name: app('dev'), keys: [level, secret('STRIPE'), secret('ONLY_DEV'), secret('ALSO_DEV')] },
      { name: app('staging'), keys: [level, secret('STRIPE')] },
      { name: app('prod'), keys: [] },
    ])
    const entries = [
      { name: named('LEVEL'), value: 'warn', is_secret: false },
      { name: named('STRIPE'), value: 'planted-prod', is_secret: true },
    ]
    const own = entries.map(({ name }) => name)
    await call()('POST', '/api/v1/imports', { body: { bundle: app('prod'), entries, own } })
  })

  async function open(path = `/apps/${app('prod')}`, options = {}): Promise<WatchedPage> {
    const page = await openPage(browser, options)
    await page.goto(server.url + path)
    await page.getByRole('table', { name: 'Variables' }).waitFor()
    return page
  }

  const cell = (page: Page, name: string, environment: string) =>
    page.getByRole('button', { name: new RegExp(`^${named(name)} in ${environment}:`) })
  const variable = (page: Page, name: string) => page.getByRole('button', { name: named(name), exact: true })
  const field = (page: Page, name: string, environment: string) =>
    page.getByRole('textbox', { name: `Value of ${named(name)} in ${app(environment)}` })
  const saidOf = (page: Page, name: string, environment: string) => cell(page, name, environment).innerText()

  const itemsOf = async (environment: string) => {
    const params = { bundle_id: ids.bundles.get(app(environment)) ?? '' }
    return (await call()('GET', '/api/v1/bundles/{bundle_id}', { params })).items
  }
  const storedIn = async (name: string, environment: string) =>
    (await itemsOf(environment)).find((item) => item.name === named(name))?.value
  const keyNamesOf = async (environment: string) =>
    (await itemsOf(environment)).map(({ name, key_name }) => `${name}=${key_name}`)
  const keyOf = async (name: string, environment: string) =>
    (await itemsOf(environment)).find((item) => item.name === named(name))?.id ?? ''

  /** A machine that has fetched the values of an environment. @returns its name */
  async function holder(environment: string): Promise<string> {
    const name = `deploy-${environment}-${stories}`
    const bundle = ids.bundles.get(app(environment)) ?? ''
    const machine_id = await createMachine(server.url, { name, bundleId: bundle })
    const params = { machine_id }
    const body = { expires_in_days: 7, networks: [] }
    const { token } = await call()('POST', '/api/v1/machines/{machine_id}/tokens', { params, body })
    expect(await fetchAsMachine(server.url, { bundle, credential: token })).toContain(named('STRIPE'))
    return name
  }

  test('on a phone, another environment keeps the filter, and neither makes an entry in the history', async () => {
    const phone = await open(undefined, PHONE)
    const entries = await phone.evaluate('history.length')
    await phone.getByLabel('Filter variables').fill(named('LEVEL'))
    await phone.getByRole('group', { name: 'Environment' }).getByText('dev', { exact: true }).click()
    await phone.waitForURL(`**/apps/${app('dev')}?query=${named('LEVEL')}`)
    await cell(phone, 'LEVEL', 'dev').waitFor()
    expect(await phone.evaluate('history.length')).toBe(entries)
    await closePage(phone)
  })

  test('one mark says what prod lacks, one what expired, one who has an older value, without scrolling', async () => {
    await holder('prod')
    const params = { key_id: await keyOf('STRIPE', 'prod') }
    const body = { value: 'planted-next', expires_at: '2026-01-01T00:00:00Z' }
    await call()('PUT', '/api/v1/keys/{key_id}', { params, body })
    const page = await open()
    const answers = recordAnswers(page)
    await page.reload()
    await cell(page, 'ONLY_DEV', 'prod').waitFor()
    for (const [name, mark] of [
      ['ONLY_DEV', 'missing'],
      ['STRIPE', 'expired'],
      ['STRIPE', '1 older'],
    ] as const)
      expect(await isInView(cell(page, name, 'prod').getByText(mark, { exact: true }))).toBe(true)
    expect(await saidOf(page, 'STRIPE', 'prod')).toMatch(/secret, 1 holder has an older value, expired/)
    expect(await saidOf(page, 'STRIPE', 'staging')).toMatch(/the same as dev/)
    expect(await saidOf(page, 'LEVEL', 'dev')).toMatch(/: info, set /)
    const names = await page.getByRole('rowheader').allInnerTexts()
    expect(names.map((name) => name.trim()).at(-1)).toBe(named('LEVEL'))
    await page.getByRole('button', { name: /^Missing in .* 2$/ }).click()
    await variable(page, 'STRIPE').waitFor({ state: 'detached' })
    expect(page.url()).toContain('show=missing')
    await expectAccessible(page)
    expect(answers.join()).not.toContain('planted-')
    await closePage(page)
  })

  test('changing a value takes two clicks, a field and a choice of where; the toast names who has the old one, and undoes it', async () => {
    const machine = await holder('dev')
    const page = await open()
    const { did, click, type } = counting()
    await click(cell(page, 'LEVEL', 'dev'))
    await type(field(page, 'LEVEL', 'dev'), 'debug')
    await page.getByText('staging keeps info.').waitFor()
    await saveInAll(page)
    await page.getByText(`${machine} keeps info until they fetch.`).waitFor()
    await expectAccessible(page)
    await click(page.getByRole('button', { name: 'Save', exact: true }))
    await page
      .getByText(`Saved ${named('LEVEL')} in 2 bundles, v2. ${machine} (v1) has an older value.`)
      .waitFor()
    expect(did).toEqual({ clicks: 2, typed: 1 })
    expect(await storedIn('LEVEL', 'staging')).toBe('debug')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => storedIn('LEVEL', 'staging')).toBe('info')
    await closePage(page)
  })

  test('… or only this environment gets it, which then has a key of its own', async () => {
    const page = await open()
    await cell(page, 'LEVEL', 'staging').click()
    await field(page, 'LEVEL', 'staging').fill('trace')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(`Saved ${named('LEVEL')} in ${app('staging')}, v2.`).waitFor()
    expect([await storedIn('LEVEL', 'staging'), await storedIn('LEVEL', 'dev')]).toEqual(['trace', 'info'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => keyNamesOf('staging')).toContain(`${named('LEVEL')}=${named('LEVEL')}`)
    await closePage(page)
  })

  test('a change of production is confirmed in its place, by a red button', async () => {
    const page = await open()
    await cell(page, 'LEVEL', 'prod').click()
    await field(page, 'LEVEL', 'prod').fill('error')
    await page.keyboard.press('Enter')
    const red = page.getByRole('button', { name: 'Save in prod', exact: true })
    await red.waitFor()
    await expectAccessible(page)
    expect(await storedIn('LEVEL', 'prod')).toBe('warn')
    // Only a button that a person can look at, and wants to use, takes a press.
    for (const x of [40, 60]) await page.mouse.move(x, 40)
    await red.click()
    await page.getByText(`Saved ${named('LEVEL')} in ${app('prod')}, v2.`).waitFor()
    expect(await storedIn('LEVEL', 'prod')).toBe('error')
    await closePage(page)
  })

  test('a conflict stays in the cell: both values are there, and neither is lost', async () => {
    const page = await open()
    await cell(page, 'LEVEL', 'dev').click()
    await field(page, 'LEVEL', 'dev').fill('mine')
    const params = { key_id: await keyOf('LEVEL', 'dev') }
    await call()('PUT', '/api/v1/keys/{key_id}', { params, body: { value: 'theirs' } })
    await saveInAll(page)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const conflict = page.getByRole('table').getByRole('alert').filter({ hasText: 'after you opened this' })
    await conflict.getByText('“theirs”').waitFor()
    expect(await field(page, 'LEVEL', 'dev').inputValue()).toBe('mine')
    expect(await storedIn('LEVEL', 'dev')).toBe('theirs')
    await expectAccessible(page)
    await conflict.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => storedIn('LEVEL', 'dev')).toBe('mine')
    await closePage(page)
  })

  test('the field takes text before the server answers, and no shortcut of the page gets it; offline it stays', async () => {
    const page = await open()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/api/v1/keys/*', async (route) => {
      await released
      await route.continue()
    })
    await cell(page, 'LEVEL', 'dev').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('nxc= gb')
    expect(await field(page, 'LEVEL', 'dev').inputValue()).toBe('nxc= gb')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    expect(await save.isDisabled()).toBe(true)
    release()
    await page.getByText('staging keeps info.').waitFor()
    expect(await field(page, 'LEVEL', 'dev').inputValue()).toBe('nxc= gb')
    await page.context().setOffline(true)
    await save.click()
    await page.getByText('You are offline. What you typed stays here').waitFor()
    expect(await field(page, 'LEVEL', 'dev').inputValue()).toBe('nxc= gb')
    await page.context().setOffline(false)
    await save.click()
    await expect.poll(() => storedIn('LEVEL', 'dev')).toBe('nxc= gb')
    expect(await storedIn('LEVEL', 'staging')).toBe('info')
    await closePage(page)
  })

  test('what changed while the browser was offline is there once it is online again', async () => {
    const page = await openPage(browser)
    await page.clock.install()
    await page.goto(`${server.url}/apps/${app('dev')}`)
    await variable(page, 'LEVEL').waitFor()
    await page.context().setOffline(true)
    const entries = [{ name: named('MEANWHILE'), value: 'new', is_secret: false }]
    await call()('POST', '/api/v1/imports', { body: { bundle: app('dev'), entries } })
    await page.clock.fastForward(10_000) // An answer of a moment ago is not asked for again.
    expect(await variable(page, 'MEANWHILE').count()).toBe(0)
    await page.context().setOffline(false)
    await variable(page, 'MEANWHILE').waitFor()
    await closePage(page)
  })

  test('a variable for dev and prod takes two clicks, three fields and a choice; production is red and armed', async () => {
    const page = await open(`/apps/${app('dev')}`)
    const { did, click, type } = counting()
    await click(page.getByRole('button', { name: 'Add variable' }))
    await type(page.getByLabel('Name', { exact: true }), named('PASSWORD'))
    expect(await page.getByLabel('Who can read it').inputValue()).toBe('secret')
    await sayReadable(page)
    await type(page.getByLabel(`Value in ${app('dev')}`), 'a')
    await type(page.getByLabel(`Value in ${app('prod')}`), 'b')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Add to dev and prod' }).dispatchEvent('click')
    expect(await itemsOf('dev')).not.toContainEqual(expect.objectContaining({ name: named('PASSWORD') }))
    await pressArmed(page, 'Add to dev and prod')
    await page.getByText(`Added ${named('PASSWORD')} to`).waitFor()
    expect(did).toEqual({ clicks: 1, typed: 3 })
    await expect
      .poll(() => variable(page, 'PASSWORD').evaluate((it) => it === it.ownerDocument.activeElement))
      .toBe(true)
    expect([await storedIn('PASSWORD', 'dev'), await storedIn('PASSWORD', 'prod')]).toEqual(['a', 'b'])
    await closePage(page)
  })

  test('what prod lacks is copied in four clicks by the server; production is red and armed', async () => {
    const page = await open()
    const answers = recordAnswers(page)
    const { did, click } = counting()
    await click(page.getByRole('button', { name: /^Missing in .* 2$/ }))
    await variable(page, 'ALSO_DEV').hover()
    await click(page.getByRole('checkbox', { name: `Select ${named('ALSO_DEV')}` }))
    await click(page.getByRole('button', { name: 'Copy to prod 1 missing' }))
    const dialog = page.getByRole('dialog', { name: `Copy ${named('ALSO_DEV')} to ${app('prod')}` })
    await dialog.getByText(`${app('prod')} is for production.`).waitFor()
    await expectAccessible(page)
    await pressArmed(page, 'Copy 1 to production')
    await page.getByText(`Copied ${named('ALSO_DEV')} to ${app('prod')}.`).waitFor()
    expect(did).toEqual({ clicks: 3, typed: 0 })
    await expect
      .poll(() => keyNamesOf('prod'))
      .toContain(`${named('ALSO_DEV')}=PROD_APP${stories}_${named('ALSO_DEV')}`)
    expect(answers.join()).not.toContain('planted-')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await keyNamesOf('prod')).join()).not.toContain('ALSO_DEV')
    await variable(page, 'ALSO_DEV').waitFor()
    expect(await page.getByText('1 variable selected').count()).toBe(0)
    await closePage(page)
  })

  test('a value that changes before it is copied is not copied; a second press copies the new one', async () => {
    const page = await open()
    await variable(page, 'ONLY_DEV').hover()
    await page.getByRole('checkbox', { name: `Select ${named('ONLY_DEV')}` }).click()
    await page.getByRole('button', { name: 'Copy to staging 1 missing' }).click()
    const dialog = page.getByRole('dialog', { name: `Copy ${named('ONLY_DEV')} to ${app('staging')}` })
    const act = dialog.getByRole('button', { name: `Copy 1 to ${app('staging')}` })
    await expect.poll(() => act.isEnabled()).toBe(true)
    const params = { key_id: await keyOf('ONLY_DEV', 'dev') }
    await call()('PUT', '/api/v1/keys/{key_id}', { params, body: { value: 'planted-next' } })
    await act.click()
    await dialog.getByRole('alert').waitFor()
    expect((await keyNamesOf('staging')).join()).not.toContain('ONLY_DEV')
    // A busy button takes no press.
    await expect.poll(() => act.getAttribute('aria-busy')).toBeNull()
    await expect.poll(() => act.isEnabled()).toBe(true)
    await act.click()
    await page.getByText(`Copied ${named('ONLY_DEV')} to ${app('staging')}.`).waitFor()
    await closePage(page)
  })

  test('an environment takes the value of another one, and Undo puts back what it had, also a shared key', async () => {
    const page = await open()
    const take = async (environment: string, from: string) => {
      await pickFromMenu(page, `${named('LEVEL')} in ${app(environment)}`, `Take ${from}’s value`)
      return page.getByRole('dialog', { name: `Copy ${named('LEVEL')} to ${app(environment)}` })
    }
    const undo = async (environment: string) => {
      await page.getByText(`Copied ${named('LEVEL')} to ${app(environment)}.`).waitFor()
      await page.getByRole('button', { name: 'Undo' }).last().click()
    }
    await variable(page, 'LEVEL').click()
    const into = await take('prod', 'staging')
    await into.getByText('is for production.').waitFor()
    await expectAccessible(page)
    await pressArmed(page, 'Copy 1 to production')
    await into.waitFor({ state: 'detached' })
    expect(await storedIn('LEVEL', 'prod')).toBe('info')
    await undo('prod')
    await expect.poll(() => storedIn('LEVEL', 'prod')).toBe('warn')
    await expect.poll(() => saidOf(page, 'LEVEL', 'prod')).toMatch(/: warn/)
    const shared = await take('staging', 'prod')
    await shared.getByText(/keeps? (its|their) values?/).waitFor()
    await shared.getByRole('button', { name: /^Copy 1 to staging/ }).click()
    await shared.waitFor({ state: 'detached' })
    expect([await storedIn('LEVEL', 'staging'), await storedIn('LEVEL', 'dev')]).toEqual(['warn', 'info'])
    await undo('staging')
    await expect.poll(() => keyNamesOf('staging')).toContain(`${named('LEVEL')}=${named('LEVEL')}`)
    await closePage(page)
  })

  test('who holds a secret everywhere takes one click: its row opens under each environment', async () => {
    const machines = [await holder('dev'), await holder('prod')]
    for (const environment of ['dev', 'prod']) {
      const params = { key_id: await keyOf('STRIPE', environment) }
      await call()('PUT', '/api/v1/keys/{key_id}', { params, body: { value: `planted-${environment}-2` } })
    }
    const page = await open()
    const { did, click } = counting()
    await click(variable(page, 'STRIPE'))
    for (const machine of machines) await page.getByText(`${machine} has v1`).first().waitFor()
    expect(did.clicks).toBeLessThanOrEqual(2)
    await page.getByText('The same variable as dev').waitFor()
    await page.getByText(`Also ${app('staging')}`).waitFor()
    await page.getByRole('link', { name: 'History and holders' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Give it its own value' }).last().click()
    await page.getByText(`${app('staging')} has its own ${named('STRIPE')}, with the same value.`).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => keyNamesOf('staging')).toContain(`${named('STRIPE')}=${named('STRIPE')}`)
    await closePage(page)
  })

  test('the table is one tab stop: arrows move, Enter edits, Escape leaves, Space opens, x selects, = shares', async () => {
    const page = await open(`/apps/${app('dev')}`)
    const focused = () => page.evaluate('document.activeElement.innerText.trim()')
    await variable(page, 'ALSO_DEV').focus()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe(named('ONLY_DEV'))
    await page.keyboard.press('Tab')
    expect(await page.evaluate("document.activeElement.closest('table')")).toBeNull()
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe(named('ONLY_DEV'))
    await page.keyboard.press('x')
    await page.getByRole('region', { name: 'Selection' }).getByText('1 variable selected').waitFor()
    await page.keyboard.press('Shift+ArrowUp')
    await page.getByRole('region', { name: 'Selection' }).getByText('2 variables selected').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByRole('link', { name: 'History and holders' }).waitFor()
    for (const _ of ['dev', 'staging']) await page.keyboard.press('ArrowRight')
    expect(await focused()).toMatch(new RegExp(`^${named('ONLY_DEV')} in staging: missing`))
    await page.keyboard.press('Enter')
    await field(page, 'ONLY_DEV', 'staging').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect.poll(focused).toMatch(new RegExp(`^${named('ONLY_DEV')} in staging: missing`))
    await page.keyboard.press('=')
    await page.getByText(`${app('staging')} has ${named('ONLY_DEV')}, the same as dev.`).waitFor()
    await expect.poll(focused).toMatch(new RegExp(`^${named('ONLY_DEV')} in staging: the same as dev`))
    await page.keyboard.press('Delete')
    await page.getByText(`Removed ${named('ONLY_DEV')} from ${app('staging')}.`).waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(() => keyNamesOf('staging')).toContain(`${named('ONLY_DEV')}=${named('ONLY_DEV')}`)
    await closePage(page)
  })

  test('sharing a value into production asks first; Cancel shares nothing', async () => {
    const page = await open()
    const ask = async () => {
      await cell(page, 'ALSO_DEV', 'prod').focus()
      await page.keyboard.press('=')
      return page.getByRole('dialog', { name: `Give production ${named('ALSO_DEV')}, the same as dev?` })
    }
    const first = await ask()
    await first.getByText(`${app('prod')} and ${app('dev')} then share one value`).waitFor()
    expect((await keyNamesOf('prod')).join()).not.toContain('ALSO_DEV')
    await first.getByRole('button', { name: 'Cancel' }).click()
    await first.waitFor({ state: 'detached' })
    expect((await keyNamesOf('prod')).join()).not.toContain('ALSO_DEV')
    await ask()
    await pressArmed(page, 'Share')
    await page.getByText(`${app('prod')} has ${named('ALSO_DEV')}, the same as dev.`).waitFor()
    await expect.poll(() => keyNamesOf('prod')).toContain(`${named('ALSO_DEV')}=${named('ALSO_DEV')}`)
    await closePage(page)
  })

  test('a missing value of production is confirmed by a red button, which takes no press of a script', async () => {
    const page = await open()
    await cell(page, 'ALSO_DEV', 'prod').click()
    await field(page, 'ALSO_DEV', 'prod').fill('planted-new')
    const red = page.getByRole('button', { name: 'Save in prod', exact: true })
    await red.waitFor()
    expect((await keyNamesOf('prod')).join()).not.toContain('ALSO_DEV')
    for (const x of [40, 60]) await page.mouse.move(x, 40)
    await expect.poll(() => red.getAttribute('aria-disabled')).toBe('false')
    await red.dispatchEvent('click')
    expect(await red.getAttribute('aria-busy')).toBeNull()
    await red.click()
    await page.getByText(`Added ${named('ALSO_DEV')} to ${app('prod')}.`).waitFor()
    expect((await keyNamesOf('prod')).join()).toContain('ALSO_DEV')
    await closePage(page)
  })

  test('a missing cell takes a value, secret unless the person says otherwise', async () => {
    const page = await open()
    await cell(page, 'ONLY_DEV', 'staging').click()
    await field(page, 'ONLY_DEV', 'staging').fill('planted-new')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(`Added ${named('ONLY_DEV')} to ${app('staging')}.`).waitFor()
    const now = page.getByRole('textbox', { name: /^Value of / })
    await expect.poll(() => now.count()).toBe(0)
    await expect
      .poll(() => cell(page, 'ONLY_DEV', 'staging').evaluate((it) => it === it.ownerDocument.activeElement))
      .toBe(true)
    expect((await itemsOf('staging')).find(({ name }) => name === named('ONLY_DEV'))?.is_secret).toBe(true)
    await closePage(page)
  })

  test('a missing cell takes the value of another environment', async () => {
    const page = await open()
    await cell(page, 'ONLY_DEV', 'staging').click()
    await page.getByRole('button', { name: 'Same as dev', exact: true }).click()
    await page.getByText(`${app('staging')} has ${named('ONLY_DEV')}, the same as dev.`).waitFor()
    expect(await keyNamesOf('staging')).toContain(`${named('ONLY_DEV')}=${named('ONLY_DEV')}`)
    await closePage(page)
  })

  test('the menu of an environment has its texts and parts; the addresses of bundles lead here', async () => {
    const page = await open(`/apps/${app('dev')}`)
    const menu = async (item: string) => {
      await page
        .getByRole('columnheader')
        .getByRole('button', { name: `More for ${app('dev')}` })
        .click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    const more = page.getByRole('columnheader').getByRole('button', { name: `More for ${app('dev')}` })
    const placeOf = async () => {
      await more.click()
      const [list, button] = [await page.getByRole('menu').boundingBox(), await more.boundingBox()]
      if (list === null || button === null) throw new Error('no menu, or no button')
      const isBelow = list.y > button.y
      const gap = isBelow ? list.y - button.y - button.height : button.y - list.y - list.height
      return {
        isBelow,
        gap: Math.round(gap),
        right: Math.round(list.x + list.width - button.x - button.width),
      }
    }
    const { height, y } = (await more.boundingBox()) ?? { height: 0, y: 0 }
    const whole = page.viewportSize() ?? { width: 0, height: 0 }
    await page.setViewportSize({ ...whole, height: Math.ceil(y + height) + 40 })
    expect(await placeOf()).toMatchObject({ isBelow: false, right: 0 })
    await page.keyboard.press('Escape')
    await page.setViewportSize(whole)
    expect(await placeOf()).toEqual({ isBelow: true, gap: 4, right: 0 })
    const items = page.getByRole('menuitem')
    for (const [key, at] of [
      ['Home', 0],
      ['ArrowDown', 1],
      ['ArrowUp', 0],
      ['ArrowUp', -1],
    ] as const) {
      await page.keyboard.press(key)
      const item = await items.nth(at).innerText()
      await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe(item)
    }
    await page.keyboard.press('Escape')
    await menu('Machines')
    await page.getByRole('heading', { level: 1, name: `Machines of ${app('dev')}` }).waitFor()
    await page.getByText('No machine may use this bundle').waitFor()
    await page.getByRole('link', { name: 'Back to the variables' }).click()
    await menu('Edit')
    await page.getByLabel('Name', { exact: true }).fill(`dev/renamed${stories}`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(`**/apps/dev/renamed${stories}`)
    await page.getByText(`Saved dev/renamed${stories}.`).waitFor()
    await page.goto(`${server.url}/apps/${app('prod')}?with=dev/renamed${stories}`)
    await page.getByRole('columnheader', { name: `dev/renamed${stories}` }).waitFor()
    const { id } = (await call()('GET', '/api/v1/bundles')).find(({ name }) => name === app('prod')) ?? {}
    for (const [from, to] of [
      [`/bundles/${id}?query=LEVEL`, `/apps/${app('prod')}?query=LEVEL`],
      [`/bundles/${id}/machines`, `/apps/${app('prod')}?part=machines`],
      [`/bundles/${id}/rules`, `/rules?bundle=${id}`],
      ['/bundles?tag=shop', '/?tag=shop'],
    ] as const) {
      await page.goto(server.url + from)
      await page.waitForURL((url) => (url.pathname + url.search).endsWith(to))
    }
    await closePage(page)
  })

  test('several hundred variables: few rows are in the document, the filter finds the others, a phone fits', async () => {
    const entries = Array.from({ length: MANY }, (_, index) => ({ name: `NAME_${index}`, value: 'x' }))
    for (const environment of ['dev', 'staging', 'prod'])
      await call()('POST', '/api/v1/imports', {
        body: { bundle: `${environment}/big`, entries: entries.slice(1) },
      })
    const page = await open('/apps/dev/big')
    expect(await page.getByRole('row').count()).toBeLessThan(MOST_ROWS)
    expect(await page.locator('table [tabindex="0"]').count()).toBe(1)
    await page.getByRole('button', { name: 'NAME_1', exact: true }).focus()
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('PageDown')
    await expect.poll(() => page.evaluate('document.activeElement.innerText.trim()')).toMatch(/^NAME_\d+$/)
    await page.keyboard.press('Control+Home')
    const edited = page.getByRole('textbox', { name: 'Value of NAME_1 in dev/big' })
    await page.getByRole('button', { name: /^NAME_1 in dev:/ }).click()
    await edited.fill('typed')
    await page.mouse.wheel(0, 100_000)
    await page.getByRole('button', { name: /^NAME_99 in dev:/ }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(MOST_ROWS)
    expect(await edited.inputValue()).toBe('typed')
    await edited.press('Escape')
    await page.getByLabel('Filter variables').fill(`NAME_${MANY - 1}`)
    await page.getByRole('button', { name: new RegExp(`^NAME_${MANY - 1} in prod:`) }).waitFor()
    await closePage(page)
    const phone = await open('/apps/prod/big', PHONE)
    expect(await phone.getByRole('row').count()).toBeLessThan(MOST_ROWS)
    await phone.getByText('dev', { exact: true }).first().click()
    await phone.waitForURL('**/apps/dev/big')
    await phone.getByRole('button', { name: 'NAME_1', exact: true }).click()
    await phone.getByRole('link', { name: 'History and holders' }).waitFor()
    await expectNoSidewaysScroll(phone)
    await expectAccessible(phone)
    await closePage(phone)
  })
})
