import type { Page } from 'playwright-core'

/** One state of one page, and how to get a page there. */
export type Shot = { name: string; show: (page: Page) => Promise<void> }
