import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { EXECUTABLE, launchBrowser } from './browser.ts'
import { takeReadmePicture } from './readme-picture.ts'
import { takeShots } from './screenshot-list.ts'
import type { Shot } from './shot.ts'

const FOLDER = join(import.meta.dirname, '../screenshots')
const WIDE = { width: 1280, height: 860 }
const SIZES = [WIDE, { width: 390, height: 844 }]
const THEMES = ['light', 'dark'] as const

// `npm run screenshots [a name, or a part of names]`: every page and state, in both themes and two widths, as PNG
// files. `npm run screenshots readme`: the README's picture, in docs/pictures/.
const wanted = process.argv[2] ?? ''
await mkdir(FOLDER, { recursive: true })
const browser = await launchBrowser({ executablePath: EXECUTABLE })
try {
  if (wanted === 'readme') await takeReadmePicture(browser)
  else
    await takeShots(wanted, async (shot) => {
      await take(shot)
      process.stdout.write(`${shot.name}\n`)
    })
} finally {
  await browser.close()
}

async function take({ name, show }: Shot): Promise<void> {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000) // a busy machine is slow
  await show(page)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(300) // until colours have changed
      await page.screenshot({ path: join(FOLDER, `${name}-${size.width}-${colorScheme}.png`) })
    }
  }
  await context.close()
}
