import { createClient } from '@keyferry/contract/client'
import { openPage, type WatchedPage } from '../e2e/app-page.ts'
import { EXECUTABLE, hasBrowser, launchBrowser } from '../e2e/browser.ts'
import { startServer } from '../e2e/start-server.ts'
import { type Benchmark, median, percentile, rounded, within } from './measurement.ts'

const KEYS = 5_000
const QUERY = 'SERVICE_4321'
const PAUSE_MS = 120
// Two frames, and the rounding of the browser's clock.
const BOUND_MS = 48

/** A list of 5,000 keys: from a key press in its search to the frame that shows the effect, as the browser measures it. */
export const longLists: Benchmark = async ({ turns }) => {
  if (!hasBrowser()) return []
  await using opened = new AsyncDisposableStack()
  const server = opened.adopt(await startServer(), (it) => it.dispose())
  const browser = opened.adopt(await launchBrowser({ executablePath: EXECUTABLE }), (it) => it.close())
  const entries = Array.from({ length: KEYS }, (_, index) => ({ name: `SERVICE_${index}`, value: 'x' }))
  await createClient(server.url)('POST', '/api/v1/imports', { body: { bundle: 'full', entries } })
  const page = await openPage(browser)
  await page.goto(`${server.url}/keys`)
  await page.getByRole('list').getByRole('listitem').first().waitFor()
  const delays: number[] = []
  for (let turn = 0; turn < turns; turn++) delays.push(...(await keyDelays(page)))
  const subject = `p99 ${rounded(percentile(delays, 0.99))} ms`
  const what = 'typing in the search of 5,000 keys, median of key presses'
  return [within({ value: median(delays), bound: BOUND_MS, unit: 'ms' }, { what, subject, baseline: '' })]
}

async function keyDelays(page: WatchedPage): Promise<number[]> {
  await page.getByLabel('Search keys').fill('')
  await page.getByLabel('Search keys').focus()
  await page.evaluate(`
    globalThis.delays = []
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'keydown') delays.push(entry.duration)
    }).observe({ type: 'event', durationThreshold: 16 })
  `)
  for (const letter of QUERY) {
    await page.keyboard.press(letter)
    await page.waitForTimeout(PAUSE_MS)
  }
  const slow: unknown = await page.evaluate('globalThis.delays')
  const noted = Array.isArray(slow) ? slow.map(Number) : []
  // The browser notes no press that was faster than its threshold.
  return [...noted, ...Array.from({ length: Math.max(0, QUERY.length - noted.length) }, () => 0)]
}
