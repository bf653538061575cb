import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { takeReadmePictures } from './readme-pictures.ts'
import { shots } from './screenshot-list.ts'

const FOLDER = join(import.meta.dirname, '../screenshots')
const WIDTHS = [1280, 360]
const THEMES = ['light', 'dark'] as const

// `npm run screenshots [part of a name]`: every page and state, in both themes and two widths, as PNG files.
// `npm run screenshots readme`: the README's pictures, in docs/pictures/.
const wanted = process.argv[2] ?? ''
await mkdir(FOLDER, { recursive: true })
const browser = await launchBrowser()
const { list, close } = await shots()
try {
  if (wanted === 'readme') await takeReadmePictures(browser)
  for (const shot of list.filter(({ name }) => name.includes(wanted))) {
    for (const width of WIDTHS) for (const theme of THEMES) await take(shot, { width, theme })
    process.stdout.write(`${shot.name}\n`)
  }
} finally {
  await close()
  await browser.close()
}

type Look = { width: number; theme: 'light' | 'dark' }

async function take(
  { name, show }: { name: string; show: (page: Page) => Promise<void> },
  { width, theme }: Look,
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height: width > 600 ? 860 : 740 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(8_000)
  await show(page)
  await page.waitForTimeout(150)
  await page.screenshot({ path: join(FOLDER, `${name}-${width}-${theme}.png`) })
  await context.close()
}
