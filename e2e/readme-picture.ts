import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { createLibrary } from './app-library.ts'
import { readRequest } from './app-page.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { startServer } from './start-server.ts'
import { inTerminal } from './terminal.ts'

const PICTURE = join(import.meta.dirname, '../docs/pictures/delivery.png')
const FONT = join(
  import.meta.dirname,
  '../node_modules/@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2',
)
// The same home, folder and name of the computer each time, because the page shows them.
const HOME = join(tmpdir(), 'keyferry-pictures')
const PROJECT = join(HOME, 'shop')
const ON_LAPTOP = [
  'unshare',
  '--user',
  '--map-root-user',
  '--uts',
  'sh',
  '-c',
  'hostname my-laptop; exec "$@"',
  'sh',
]
const KEYFERRY = [...ON_LAPTOP, process.execPath, CLIENT_PROGRAM]
const COMMAND = ['run', 'dev/app', '--no-open', '--', 'npm', 'run', 'dev']

/** Take the README's picture: a client that waits in a real terminal, beside the approval page of its request. */
export async function takeReadmePicture(browser: Browser): Promise<void> {
  await mkdir(PROJECT, { recursive: true })
  await writeFile(join(PROJECT, 'package.json'), JSON.stringify({ scripts: { dev: 'node --version' } }))
  const server = await startServer({ env: { PORT: '5393' } })
  try {
    await createLibrary(server.url)
    const { PATH } = process.env
    const terminal = inTerminal([...KEYFERRY, ...COMMAND], {
      columns: 64,
      cwd: PROJECT,
      env: { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url },
    })
    const [link] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}/)
    await terminal.appears(/\d:\d\d/)
    const [asked] = terminal.output().split(/(?<=m\d:\d\d)/)
    const context = await browser.newContext({
      viewport: { width: 1_100, height: 700 },
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    const card = await cardAt(page, link)
    await page.getByRole('button', { name: /^Approve|: approve/ }).click()
    await takeBoth(await context.newPage(), `$ keyferry ${COMMAND.join(' ')}\n${asked}`, card)
    await terminal.exit
    await context.close()
  } finally {
    await server.dispose()
    await rm(HOME, { recursive: true, force: true })
  }
}

/** The card of the approval page, as a PNG with a margin for its shadow. */
async function cardAt(page: Page, link: string): Promise<Buffer> {
  await page.goto(link)
  await readRequest(page)
  await page.getByText(/in \d s$/).waitFor({ state: 'hidden' })
  const card = page.locator('main > div').first()
  const box = await card.boundingBox()
  if (!box) throw new Error('the page shows no card')
  const [x, y] = [box.x - MARGIN, box.y - MARGIN]
  return await page.screenshot({
    clip: { x, y, width: box.width + 2 * MARGIN, height: box.height + 2 * MARGIN },
  })
}

const MARGIN = 24

async function takeBoth(page: Page, written: string, card: Buffer): Promise<void> {
  const font = await readFile(FONT, 'base64')
  await page.setContent(`<style>
    @font-face { font-family: Mono; src: url(data:font/woff2;base64,${font}) }
    body { margin: 0; background: #f6f7f7 }
    main { display: flex; align-items: center; padding-left: ${MARGIN}px; width: fit-content }
    pre { margin: 0; padding: 24px 28px; border-radius: 12px; background: #10202b; color: #dfe8ee;
      font: 15px/1.6 Mono; font-variant-ligatures: none }
    i { font-style: normal; opacity: 0.65 }
  </style><main><pre>${asHtml(written)}</pre><img srcset="data:image/png;base64,${card.toString('base64')} 2x"></main>`)
  await page.evaluate('document.fonts.ready')
  await page.locator('main').screenshot({ path: PICTURE })
}

/** What a terminal shows of a text with bold and dim parts. */
function asHtml(written: string): string {
  const escaped = written.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '')
  const marked = escaped
    .replaceAll(/\x1b\[1m(.*?)\x1b\[0m/g, '<b>$1</b>')
    .replaceAll(/\x1b\[2m(.*?)\x1b\[0m/g, '<i>$1</i>')
  return stripVTControlCharacters(marked).trimEnd()
}
