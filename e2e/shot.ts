import type { Page } from 'playwright-core'
import type { RunningServer } from './start-server.ts'

/** One state of one page, and how to get a page there. */
export type Shot = { name: string; show: (page: Page) => Promise<void> }

/** States that share servers. */
export type World = { list: readonly Shot[]; servers: readonly RunningServer[] }

/** Open an address, wait until it has loaded, and do something there. */
export function at(url: string, then: (page: Page) => Promise<void> = async () => undefined) {
  return async (page: Page) => {
    await page.goto(url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page
      .getByText(/^Loading/)
      .first()
      .waitFor({ state: 'detached' })
    await then(page)
  }
}

export const press = (name: RegExp | string) => async (page: Page) =>
  await page.getByRole('button', { name }).click()
