import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApproval, createLibrary } from './app-library.ts'
import { deliver, makeOlder } from './app-memory.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  isInView,
  openPage,
  pressArmed,
  readRequest,
  recordAnswers,
  saveInAll,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const HOSTS = ['laptop', 'build', 'staging', 'desk', 'phone'] as const

describe.skipIf(!hasBrowser())('the memory of a workspace in the browser', () => {
  let server: RunningServer
  let browser: Browser
  let ids: Awaited<ReturnType<typeof createLibrary>>

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([
      startServer({ env: { TRUST_PROXY: '127.0.0.1' } }),
      sharedBrowser(),
    ])
    ids = await createLibrary(server.url)
    for (const hostname of HOSTS) await give(hostname)
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  const keyId = (name: string) => ids.keys.get(name) ?? ''
  const bundleId = (name: string) => ids.bundles.get(name) ?? ''
  const give = (hostname: string, isCollected = true) => {
    const meta = { hostname, user: 'sam', command: 'npm run dev --token=planted', via: 'run' }
    return deliver(server.url, {
      bundleId: bundleId('dev/app'),
      names: ['DATABASE_URL', 'LOG_LEVEL'],
      meta,
      isCollected,
    })
  }
  const change = (name: string, body: object) =>
    createClient(server.url)('PUT', '/api/v1/keys/{key_id}', { params: { key_id: keyId(name) }, body })

  async function open(path: string): Promise<WatchedPage> {
    const page = await openPage(browser)
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }

  test('who must fetch again is one mark, named, from the change until each has fetched', async () => {
    const page = await open(`/keys/${keyId('DATABASE_URL')}`)
    await page.getByText('5 have v1').waitFor()
    const mark = page.getByRole('status').filter({ hasText: 'End the old value at its issuer' })
    expect(await mark.count()).toBe(0)
    await page.getByRole('region', { name: 'Value' }).getByRole('link').click()
    await saveInAll(page)
    await page.getByRole('button', { name: 'Generate' }).click()
    await page.getByRole('button', { name: 'Copy the new value' }).waitFor()
    const value = await page.getByRole('textbox', { name: 'Value of DATABASE_URL in' }).inputValue()
    expect(value).toMatch(/^[\w-]{43}$/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await mark.getByText('local holds v1 in 5 places.').waitFor()
    await expect.poll(() => isInView(mark)).toBe(true)
    await expectAccessible(page)
    await give('staging')
    await page.reload()
    await mark.getByText('local holds v1 in 4 places.').waitFor()
    await page.getByText('1 has v2').waitFor()
    await page.getByText('local has version 2; local has version 1.').waitFor({ state: 'attached' })
    const rows = page.getByRole('list', { name: 'Holders' }).getByRole('listitem')
    const texts = await rows.allTextContents()
    expect(texts.slice(0, 4).every((text) => text.includes('Was given version 1'))).toBe(true)
    expect(texts[4]).toMatch(/sam@staging.*Was given the current version/)
    expect(`${texts.join()}${await page.content()}`).not.toContain('planted')
    expect(await page.content()).not.toContain(value)
    await page.getByRole('button', { name: 'Dismiss local on sam@phone' }).click()
    await mark.getByText('local holds v1 in 3 places.').waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    await rows.first().getByText('v1, ').waitFor()
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await closePage(page)
  })

  test('a delivery that is not confirmed says so', async () => {
    await give('train', false)
    const page = await open(`/keys/${keyId('DATABASE_URL')}`)
    await page
      .getByText('Version 2 was approved, and the delivery is not confirmed')
      .waitFor({ state: 'attached' })
    await closePage(page)
  })

  test('undo after a change restores the version before', async () => {
    const page = await open(`/keys/${keyId('SMTP_PASSWORD')}/change`)
    await page.getByLabel('Value of SMTP_PASSWORD in').fill('planted-mistake')
    await pressArmed(page, 'Save in prod/shop')
    await page.getByText('Saved SMTP_PASSWORD in prod/shop/mail, v2.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The value from before is back.').waitFor()
    await page.getByText('restored from version 1').waitFor()
    await closePage(page)
  })

  test('two people restore at the same time: one does, the other is told what happened', async () => {
    await change('STRIPE_SECRET_KEY', { value: 'planted-two' })
    await change('STRIPE_SECRET_KEY', { value: 'planted-three' })
    const path = `/keys/${keyId('STRIPE_SECRET_KEY')}`
    const [first, second] = await Promise.all([open(path), open(path)])
    const answers = recordAnswers(second)
    for (const page of [first, second]) {
      await page.getByRole('button', { name: 'Restore' }).first().click()
      await page.getByText('Its value becomes version 4.').waitFor()
    }
    await expectAccessible(first)
    await pressArmed(first, 'Restore version 2')
    await first.getByText('Restored STRIPE_SECRET_KEY: version 4.').waitFor()
    for (const x of [40, 60]) await second.mouse.move(x, 40)
    await second.getByRole('button', { name: 'Restore version 2' }).click()
    await second.getByText('Another person changed the value.').waitFor()
    await second.getByRole('button', { name: 'Cancel' }).click()
    await second.getByText('restored from version 2').waitFor()
    expect(`${answers.join()}${await second.content()}`).not.toContain('planted-')
    await Promise.all([closePage(first), closePage(second)])
  })

  test('an edit that was overtaken is refused, and keeps its text', async () => {
    const page = await open(`/keys/${keyId('SMTP_HOST')}/change`)
    const value = page.getByLabel('Value of SMTP_HOST in')
    await value.fill('mine.example.com')
    await change('SMTP_HOST', { value: 'theirs.example.com' })
    for (const x of [40, 60]) await page.mouse.move(x, 40)
    await page.getByRole('button', { name: 'Save in prod/shop' }).click()
    await page.getByText('local changed value').waitFor()
    await expectAccessible(page)
    await expect.poll(() => value.inputValue()).toBe('mine.example.com')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await pressArmed(page, 'Save in prod/shop')
    await page.getByText('Saved SMTP_HOST in prod/shop/mail, v3.').waitFor()
    await closePage(page)
  })

  test('versions that were never secret are compared; a destroyed one is gone', async () => {
    await change('LOG_LEVEL', { value: 'debug\nverbose' })
    const page = await open(`/keys/${keyId('LOG_LEVEL')}`)
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('From this version (-) to the current one (+)').waitFor()
    await expect
      .poll(() => page.locator('figure pre').innerText())
      .toMatch(/-\s+removed:\s+info\s+\+\s+added:\s+debug\s+\+\s+added:\s+verbose/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Destroy v1' }).click()
    await page.getByRole('button', { name: 'Destroy version 1' }).click()
    await page.getByText('destroyed', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Restore' }).count()).toBe(0)
    await closePage(page)
  })

  test('expiry and rotation are set on the key, and shown in lists, at the start and before an approval', async () => {
    const page = await open(`/keys/${keyId('NPM_TOKEN')}/details`)
    await page.getByLabel('Expires on').fill('2020-01-31')
    await page.getByLabel('Replace after days').fill('0')
    await page.getByText('Use 1 to 3650 days.').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Replace after days').fill('90')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/, expired \d+ days ago/).waitFor()
    makeOlder(server.dataDir, 'DATABASE_URL', 8)
    const places = page.getByRole('navigation', { name: 'Main' })
    await places.getByRole('link', { name: 'Applications', exact: true }).click()
    // Each mark is in view without scrolling.
    const table = page.getByRole('table', { name: 'Applications' })
    const expired = table.getByRole('link', { name: /^ci: 1 variable, 1 expired/ })
    await expired.getByText('1 expired', { exact: true }).waitFor()
    await expect.poll(() => isInView(expired)).toBe(true)
    const unused = table.getByRole('link', { name: /^prod\/shop\/mail: .*never fetched/ })
    await unused.getByText('never', { exact: true }).waitFor()
    await expect.poll(() => isInView(unused)).toBe(true)
    const strip = page.getByRole('region', { name: 'What expires' })
    const due = strip.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'NPM_TOKEN' }) })
    await expect.poll(() => due.innerText()).toMatch(/^NPM_TOKEN\s+ci\s+expired \d+ days ago$/)
    await expectAccessible(page)
    await strip.getByRole('link', { name: 'All dates' }).click()
    const now = page.getByRole('list', { name: 'Now' }).getByRole('listitem')
    await expect
      .poll(() => now.allInnerTexts())
      .toEqual([expect.stringMatching(/NPM_TOKEN.*expired \d+ days ago/s)])
    await page.getByText('changed 8 days ago, 3 holders still have an older value').waitFor()
    await page.getByRole('img', { name: /^What expires in the next 90 days/ }).waitFor()
    await expectAccessible(page)
    const rotated = { name: 'ROTATED', value: 'x', rotate_after_days: 60 }
    await createClient(server.url)('POST', '/api/v1/keys', { body: rotated })
    const expires_at = new Date(Date.now() + 10 * 86_400_000).toISOString()
    await createClient(server.url)('POST', '/api/v1/keys', { body: { name: 'SOON', value: 'x', expires_at } })
    await page.reload()
    const later = page.getByRole('list', { name: 'Later' }).getByRole('listitem')
    const soon = page.getByRole('list', { name: 'In 14 days' }).getByRole('listitem')
    await expect
      .poll(() => later.allInnerTexts())
      .toEqual([expect.stringMatching(/^ROTATED.*replace every 60 days/s)])
    expect(await soon.allInnerTexts()).toEqual([expect.stringMatching(/^SOON/)])
    expect(await soon.getByText('replace every').count()).toBe(0)
    expect(await now.allInnerTexts()).toEqual([expect.stringMatching(/^NPM_TOKEN/)])
    const { verification_uri_complete } = await askApproval(server.url, { bundle: 'ci' })
    await page.goto(server.url + verification_uri_complete)
    await readRequest(page)
    await page.getByText('The value has expired: NPM_TOKEN').waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  test('an approval and its delivery are one story; Enter opens its steps, with their sealed numbers', async () => {
    const page = await open('/activity')
    await page.getByText('Sealed to entry').waitFor()
    const story = page.getByRole('button', {
      name: /^Steps: local approved 2 values of dev\/app for sam@laptop/,
    })
    await story.focus()
    await page.keyboard.press('Enter')
    const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
    await expect
      .poll(() => steps.allInnerTexts())
      .toEqual([
        expect.stringMatching(/^\d\d:\d\d:\d\d[\s\S]*approved 2 values[\s\S]*delivery\.approved[\s\S]*\d+$/),
        expect.stringMatching(
          /^\d\d:\d\d:\d\d[\s\S]*collected the values[\s\S]*delivery\.collected[\s\S]*\d+$/,
        ),
      ])
    await expectAccessible(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'What was delivered' }).click()
    const values = page.getByRole('list', { name: 'Delivered values' })
    await expect
      .poll(() => values.getByRole('listitem').allInnerTexts())
      .toEqual([
        expect.stringMatching(/DATABASE_URL\s+v1 · now v2/),
        expect.stringMatching(/LOG_LEVEL\s+v1 · now v2/),
      ])
    await page.getByText('2 values of dev/app, 0 of them are still current').waitFor()
    await closePage(page)
  })

  test('kinds, people, bundles and days narrow the activity, and are in its address', async () => {
    const page = await open('/activity')
    const lines = page.getByRole('button', { name: /^Steps/ })
    const kind = (name: string) => page.getByRole('group', { name: 'Kind' }).getByRole('button', { name })
    await expect.poll(() => page.getByRole('group', { name: 'Kind' }).getByRole('button').count()).toBe(7)
    await kind('Approvals').click()
    await page.getByText('approved 2 values').first().waitFor()
    await expect.poll(() => page.getByText(/created [A-Z]/).count()).toBe(0)
    await kind('Refused').click()
    await page.getByText('No matching activity.').waitFor()
    await kind('Everything').click()
    // The list comes when a person goes to it.
    await page.getByLabel('Bundle', { exact: true }).focus()
    await page.getByLabel('Bundle', { exact: true }).selectOption('ci')
    await page.getByText('created the bundle').waitFor()
    await expect.poll(() => lines.count()).toBeLessThan(5)
    await page.reload()
    await page.getByText('created the bundle').waitFor()
    await expect.poll(() => lines.count()).toBeLessThan(5)
    await page.getByLabel('Bundle', { exact: true }).selectOption('Any bundle')
    await expect.poll(() => lines.count()).toBeGreaterThan(20)
    expect(new URL(page.url()).search).toBe('')
    await closePage(page)
  })

  test('a bar shows its day; arrows go along, Shift takes more days', async () => {
    const page = await open('/activity')
    const bars = page.getByRole('region', { name: 'Days' }).getByRole('button')
    await expect.poll(() => bars.count()).toBe(14)
    await expectAccessible(page)
    const today = bars.last()
    await today.click()
    await expect.poll(() => today.getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('heading', { name: /^Today/ }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await expect.poll(() => bars.nth(12).getAttribute('aria-pressed')).toBe('true')
    await page.getByText('No matching activity.').waitFor()
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(() => page.getByRole('button', { pressed: true }).count()).toBe(3)
    await page.getByRole('heading', { name: /^Today/ }).waitFor()
    await bars.nth(9).hover()
    await page.mouse.down()
    await bars.nth(13).hover()
    await page.mouse.up()
    await expect.poll(() => bars.and(page.getByRole('button', { pressed: true })).count()).toBe(5)
    await page.getByRole('button', { name: 'Show all days' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await page.setViewportSize({ width: 390, height: 740 })
    await expect.poll(() => bars.filter({ visible: true }).count()).toBe(7)
    // A phone shows no day before the first bar.
    await bars.first().click()
    await expect.poll(() => bars.first().getAttribute('aria-pressed')).toBe('true')
    const oneDay = page.url()
    await page.keyboard.press('Shift+ArrowLeft')
    expect(page.url()).toBe(oneDay)
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(() => bars.and(page.getByRole('button', { pressed: true })).count()).toBe(2)
    await closePage(page)
  })

  test('an event that is not sealed yet has a dot in place of its number', async () => {
    const page = await openPage(browser)
    await page.route('**/api/v1/audit?*', async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      await route.fulfill({ response, body: text.replace(/"seq":\d+,/, '"seq":null,') })
    })
    await page.goto(`${server.url}/activity?view=entries`)
    await page.getByTitle('Not sealed yet').waitFor()
    await expect.poll(() => page.getByTitle('Not sealed yet').count()).toBe(1)
    await expectAccessible(page)
    await closePage(page)
  })

  test('the log can be downloaded, and the page says how to check it', async () => {
    const page = await open('/activity')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('keyferry-audit.jsonl')
    await page.getByRole('button', { name: 'Check it yourself' }).click()
    await page
      .getByText(/^keyferry audit verify keyferry-audit.jsonl --key/)
      .first()
      .waitFor()
    await expectAccessible(page)
    await closePage(page)
  })

  test('a key and a bundle show their own activity, by the keyboard too', async () => {
    const page = await open(`/keys/${keyId('SMTP_PASSWORD')}/activity`)
    const line = page.getByRole('button', { name: 'Steps: local created SMTP_PASSWORD' })
    await line.focus()
    await page.keyboard.press('Enter')
    await page.getByText('key.created').waitFor()
    await expectAccessible(page)
    await page.goto(`${server.url}/bundles/${bundleId('ci')}/activity`)
    await page.getByRole('button', { name: 'Steps: local created the bundle ci' }).waitFor()
    await expectAccessible(page)
    await closePage(page)
  })
})
