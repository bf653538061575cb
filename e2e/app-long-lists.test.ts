import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askApproval } from './app-library.ts'
import { closePage, expectAccessible, openKeys, openPage, readRequest, type WatchedPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const KEYS = 5_000
const BUNDLES = 1_000
const AT_ONCE = 16

// Thousands of durable writes only set the scene here; where the system keeps files in memory they are quick.
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

// Rows in the document: what fits on the screen and a few around it, however long the list.
const MOST_ROWS = 60

// A filter may leave a list that is shown whole, because only longer ones are drawn in part.
const SHOWN_WHOLE = 300

describe.skipIf(!hasBrowser())('with 5,000 keys and 1,000 bundles', () => {
  let server: RunningServer
  let browser: Browser
  let dataDir: string
  let fullId: string

  beforeAll(async () => {
    dataDir = await mkdtemp(join(MEMORY, 'keyferry-long-'))
    ;[server, browser] = await Promise.all([
      startServer({ dataDir, env: { TRUST_PROXY: '127.0.0.1' } }),
      sharedBrowser(),
    ])
    const call = createClient(server.url)
    const entries = Array.from({ length: KEYS }, (_, index) => ({
      name: `SERVICE_${index}_TOKEN`,
      value: `x${index}`,
      is_secret: index % 2 === 0,
    }))
    const { bundle_id } = await call('POST', '/api/v1/imports', { body: { bundle: 'full', entries } })
    if (bundle_id === null) throw new Error('the import made no bundle')
    fullId = bundle_id
    await inParallel(BUNDLES, (index) =>
      call('POST', '/api/v1/bundles', {
        body: { name: `team${index % 20}/service${index}`, tags: `t${index % 5}` },
      }),
    )
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
    if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true })
  })

  async function open(path: string): Promise<WatchedPage> {
    const page = await openPage(browser)
    await page.goto(server.url + path)
    await page.getByRole('main').locator('li, tbody tr').first().waitFor()
    return page
  }

  test('home: few rows are in the document, and a key press adds few', async () => {
    const page = await open('/')
    const rows = page.getByRole('table', { name: 'Applications' }).getByRole('rowheader')
    expect(await rows.count()).toBeLessThan(MOST_ROWS)
    expect(await page.locator('table [tabindex="0"]').count()).toBe(1)
    expect(await rowsAddedBy(page, 'Filter applications', 'service987')).toBeLessThan(MOST_ROWS)
    await expect.poll(() => rows.count()).toBe(1)
    await expectAccessible(page)
    await closePage(page)
  })

  test('an application with all of them: few rows are there, one is found, and the table is one tab stop', async () => {
    const page = await openPage(browser)
    await page.goto(`${server.url}/bundles/${fullId}`)
    const rows = page.getByRole('row')
    await page.getByRole('button', { name: 'SERVICE_0_TOKEN', exact: true }).waitFor()
    expect(await rows.count()).toBeLessThan(MOST_ROWS)
    expect(await page.locator('table [tabindex="0"]').count()).toBe(1)
    expect(await rowsAddedBy(page, 'Filter variables', 'SERVICE_4321')).toBeLessThan(SHOWN_WHOLE)
    // The head is a row, too.
    await expect.poll(() => rows.count()).toBe(2)
    await expectAccessible(page)
    await closePage(page)
  })

  test('approving all of them: few rows are there, a filter adds few, and a tick counts', async () => {
    const request = await askApproval(server.url, { bundle: 'full' })
    const page = await openPage(browser)
    await page.goto(server.url + request.verification_uri_complete)
    await readRequest(page)
    await openKeys(page)
    await page.getByText(`${KEYS} of ${KEYS} selected`).waitFor()
    const rows = page.getByRole('list', { name: 'Variables' }).getByRole('listitem')
    expect(await rows.count()).toBeLessThan(MOST_ROWS)
    expect(await rowsAddedBy(page, 'Filter variables', 'SERVICE_4321')).toBeLessThan(SHOWN_WHOLE)
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('checkbox').uncheck()
    await page.getByText(`${KEYS - 1} of ${KEYS} selected`).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Approve|: approve/ }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    expect(await page.getByRole('listitem').count()).toBeLessThan(MOST_ROWS)
    await expectAccessible(page)
    await closePage(page)
  })

  test('a printed table has dark ink and whole rows, one below the other, and no buttons', async () => {
    const page = await open('/')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    const rows = page.getByRole('main').getByRole('rowheader')
    expect(await rows.count()).toBeGreaterThan(BUNDLES)
    const ends = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().bottom))
    expect(ends).toEqual(ends.toSorted((a, b) => a - b))
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(16, 22, 27)')
    expect(await page.getByRole('button', { name: 'New', exact: true }).count()).toBe(0)
    await closePage(page)
  })

  test('the end of the table is reached, and rows know their place in it', async () => {
    const page = await open('/')
    const table = page.getByRole('table', { name: 'Applications' })
    await page.keyboard.press('End')
    const last = table.getByRole('row').last()
    await expect.poll(() => last.getAttribute('aria-rowindex')).toBe(String(BUNDLES + 2))
    expect(await table.getAttribute('aria-rowcount')).toBe(String(BUNDLES + 2))
    expect(await table.getByRole('row').count()).toBeLessThan(MOST_ROWS)
    await closePage(page)
  })
})

async function inParallel(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** The most rows that one key press of a text adds to the document. */
async function rowsAddedBy(page: WatchedPage, label: string, text: string): Promise<number> {
  await page.evaluate(`
    globalThis.added = 0
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node instanceof HTMLElement) added += node.matches('li, tr') ? 1 : node.querySelectorAll('li, tr').length
    }).observe(document.body, { childList: true, subtree: true })
  `)
  await page.getByLabel(label).focus()
  let most = 0
  for (const letter of text) {
    await page.keyboard.press(letter)
    const added: unknown = await page.evaluate(`(async () => {
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      const seen = added
      added = 0
      return seen
    })()`)
    most = Math.max(most, Number(added))
  }
  return most
}
