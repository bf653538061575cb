import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { EXECUTABLE, launchBrowser } from './browser.ts'
import { takeReadmePictures } from './readme-pictures.ts'
import { takeShots } from './screenshot-list.ts'
import type { Shot } from './shot.ts'

const FOLDER = join(import.meta.dirname, '../screenshots')
const WIDTHS = [1280, 360]
const THEMES = ['light', 'dark'] as const

// `npm run screenshots [a name, or a part of names]`: every page and state, in both themes and two widths, as PNG
// files. `npm run screenshots readme`: the README's pictures, in docs/pictures/.
const wanted = process.argv[2] ?? ''
await mkdir(FOLDER, { recursive: true })
const browser = await launchBrowser({ executablePath: EXECUTABLE })
try {
  if (wanted === 'readme') await takeReadmePictures(browser)
  else
    await takeShots(wanted, async (shot) => {
      for (const width of WIDTHS) for (const theme of THEMES) await take(shot, { width, theme })
      process.stdout.write(`${shot.name}\n`)
    })
} finally {
  await browser.close()
}

type Look = { width: number; theme: 'light' | 'dark' }

async function take({ name, show }: Shot, { width, theme }: Look): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height: width > 600 ? 860 : 740 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000) // a busy machine is slow
  await show(page)
  await page.waitForTimeout(150)
  await page.screenshot({ path: join(FOLDER, `${name}-${width}-${theme}.png`) })
  await context.close()
}
