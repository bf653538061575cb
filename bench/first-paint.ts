import { askApproval, createLibrary } from '../e2e/app-library.ts'
import { EXECUTABLE, hasBrowser, launchBrowser } from '../e2e/browser.ts'
import { startServer } from '../e2e/start-server.ts'
import { type Benchmark, percentile, rounded, within } from './measurement.ts'

const PAINT_MS = 300

/** The approval page with a cold cache: how long until the browser paints something. */
export const firstPaint: Benchmark = async ({ turns }) => {
  if (!hasBrowser()) return []
  await using opened = new AsyncDisposableStack()
  const server = opened.adopt(await startServer({ env: { TRUST_PROXY: '127.0.0.1' } }), (it) => it.dispose())
  const browser = opened.adopt(await launchBrowser({ executablePath: EXECUTABLE }), (it) => it.close())
  await createLibrary(server.url)
  const paints: number[] = []
  while (paints.length < turns) {
    const request = await askApproval(server.url, { bundle: 'dev/app' })
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(server.url + request.verification_uri_complete)
    await page.getByRole('heading', { level: 1 }).waitFor()
    paints.push(
      await page.evaluate(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      ),
    )
    await context.close()
  }
  const subject = `slowest ${rounded(Math.max(...paints))} ms`
  const what = 'approval page: first paint on a cold cache'
  return [
    within({ value: percentile(paints, 0.5), bound: PAINT_MS, unit: 'ms' }, { what, subject, baseline: '' }),
  ]
}
