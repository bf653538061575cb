import { createClient } from '@keyferry/contract/client'
import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OWNER } from './app-accounts.ts'
import { askApproval } from './app-library.ts'
import { closePage, delayFonts, openPage, WATCH_SHIFTS, type WatchedPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { places } from './engines/walk.ts'
import { startWorld } from './engines/world.ts'

const SERVICES = 50
const ENVIRONMENTS = ['dev', 'prod', 'staging', 'test']
const KEYS_EACH = 25
// Most are the list of bundles. Home also asks for what waits, and for the person's own proposals.
const MOST_BYTES = 101_000

describe.skipIf(!hasBrowser())('with 5,000 keys in 200 bundles', () => {
  let started: Awaited<ReturnType<typeof startWorld>>
  let browser: Browser
  let page: WatchedPage

  beforeAll(async () => {
    ;[started, browser] = await Promise.all([startWorld(), sharedBrowser()])
    page = await openPage(browser)
    await page.goto(`${started.url}/sign-in`)
    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByLabel('Password', { exact: true }).fill(OWNER.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Applications' }).waitFor()
    await fillLibrary()
  })

  afterAll(async () => {
    if (page !== undefined) await closePage(page)
    await closePages(browser)
    await started?.[Symbol.asyncDispose]()
  })

  const addressOf = (path: string) => `${started.url}/w/${started.world.workspace}${path}`

  async function fillLibrary(): Promise<void> {
    const cookies = await page.context().cookies()
    const headers = {
      cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
      origin: started.url,
    }
    const call = createClient(started.url)
    for (let service = 0; service < SERVICES; service += 1)
      for (const environment of ENVIRONMENTS) {
        const bundle = `${environment}/service${service}`
        const entries = Array.from({ length: KEYS_EACH }, (_, index) => ({
          name: `SERVICE_${service}_${index}`,
          value: `${bundle}-${index}`,
          is_secret: index % 2 === 0,
        }))
        await call('POST', '/api/v1/imports', { headers, body: { bundle, entries } })
      }
  }

  test('fonts that come late move nothing at sign-in', async () => {
    const signIn = await openPage(browser)
    await signIn.addInitScript(WATCH_SHIFTS)
    const loaded = await delayFonts(signIn)
    await signIn.goto(`${started.url}/sign-in`, { waitUntil: 'commit' })
    await signIn.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    // On a slow machine, the form has replaced what was shown while the page loaded.
    await signIn.evaluate('window.shifted = 0')
    await loaded()
    expect(await signIn.evaluate('window.shifted')).toBeLessThan(0.0005)
    await closePage(signIn)
  })

  test('each page loads at most 101 kB of data first', async () => {
    const request = await askApproval(started.url, { bundle: 'prod/service7' })
    const pages = [
      ...places(started.world).map(([path]) => addressOf(path)),
      started.url + request.verification_uri_complete,
    ]
    const loaded = new Map<string, number>()
    for (const address of pages) loaded.set(address, await bytesLoadedBy(page, address))
    expect([...loaded].filter(([, bytes]) => bytes === 0 || bytes > MOST_BYTES)).toEqual([])
  })
})

/** The bytes of all answers of the API that a page asks for by itself, as the server sends them. */
async function bytesLoadedBy(page: Page, address: string): Promise<number> {
  const answered: Promise<number>[] = []
  const note = (request: Request) => {
    if (new URL(request.url()).pathname.startsWith('/api/'))
      answered.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  }
  page.on('requestfinished', note)
  await page.goto(address)
  await page.locator('h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  page.off('requestfinished', note)
  return (await Promise.all(answered)).reduce((sum, bytes) => sum + bytes, 0)
}
