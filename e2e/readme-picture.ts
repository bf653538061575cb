import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { readRequest } from './app-page.ts'
import { commandsOf } from './documents.ts'
import { noteAddresses } from './opened-address.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { startServer } from './start-server.ts'
import { inTerminal } from './terminal.ts'

const PICTURE = join(import.meta.dirname, '../docs/pictures/delivery.png')
const FONT = join(
  import.meta.dirname,
  '../node_modules/@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2',
)
// Nothing of the computer that takes the picture is on it: the client runs on `my-laptop` in `~/shop`.
const HOME = join(tmpdir(), 'keyferry-pictures')
const ENV_FILE = 'DATABASE_URL=postgres://localhost/shop\nSTRIPE_SECRET_KEY=sk_test_example\nPORT=3000\n'
const ON_LAPTOP = `
hostname my-laptop
mkdir all
mount --rbind /home all
mount -t tmpfs none /home
for each in $(ls all) root; do mkdir "/home/$each"; done
for each in $(ls all); do mount --rbind "all/$each" "/home/$each"; done
mount --bind . /home/root
cd /home/root/shop
printf '$ %s\n' "$1"; eval "$1"; printf '\n$ %s\n' "$2"; eval "$2"
`

/** Take the README's picture: its first commands in a real terminal, beside the approval page. */
export async function takeReadmePicture(browser: Browser): Promise<void> {
  const server = await startServer({ env: { PORT: '5393' } })
  try {
    const opened = await prepareHome()
    const lines = commandsOf('README.md').filter((line) => line.startsWith('keyferry '))
    const { PATH } = process.env
    const terminal = inTerminal(
      ['unshare', '--user', '--map-root-user', '--uts', '--mount', 'sh', '-ec', ON_LAPTOP, 'sh', ...lines],
      {
        columns: 64,
        cwd: HOME,
        env: {
          PATH: `${HOME}:${PATH}`,
          HOME: '/home/root',
          TERM: 'xterm-256color',
          LANG: 'C.UTF-8',
          KEYFERRY_SERVER: server.url,
          BROWSER: opened.program,
        },
      },
    )
    await terminal.appears(/\[y\/N\] /)
    terminal.type('y\n')
    await terminal.appears(/m\d:\d\d/)
    const [written = ''] = terminal.output().split(/(?<=m\d:\d\d)/)
    const context = await browser.newContext({
      viewport: { width: 1_100, height: 900 },
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    const card = await cardAt(page, await opened.next())
    await page.getByRole('button', { name: /^Approve|: approve/ }).click()
    await takeBoth(await context.newPage(), written, card)
    await terminal.exit
    await context.close()
  } finally {
    await server.dispose()
    await rm(HOME, { recursive: true, force: true })
  }
}

/** A project, the client, and a browser that only notes what it is to open. */
async function prepareHome() {
  const project = join(HOME, 'shop')
  await mkdir(project, { recursive: true })
  await writeFile(join(project, 'package.json'), JSON.stringify({ scripts: { dev: 'node --version' } }))
  await writeFile(join(project, '.env'), ENV_FILE)
  await writeFile(join(HOME, 'keyferry'), `#!/bin/sh\nexec ${process.execPath} ${CLIENT_PROGRAM} "$@"\n`)
  await chmod(join(HOME, 'keyferry'), 0o755)
  return await noteAddresses(HOME)
}

/** The card of the approval page, as a PNG with a margin for its shadow. */
async function cardAt(page: Page, link: string): Promise<Buffer> {
  await page.goto(link)
  await readRequest(page)
  await page.getByText(/in \d s$/).waitFor({ state: 'hidden' })
  const card = page.locator('main > div').first()
  const box = await card.boundingBox()
  if (!box) throw new Error('the page shows no card')
  // A reader's page may be light or dark.
  await page.evaluate(
    "for (const { style } of document.querySelectorAll(':root, body, :has(main), main')) style.background = 'none'",
  )
  const [x, y] = [box.x - MARGIN, box.y - MARGIN]
  return await page.screenshot({
    clip: { x, y, width: box.width + 2 * MARGIN, height: box.height + 2 * MARGIN },
    omitBackground: true,
  })
}

const MARGIN = 24

async function takeBoth(page: Page, written: string, card: Buffer): Promise<void> {
  const font = await readFile(FONT, 'base64')
  await page.setContent(`<style>
    @font-face { font-family: Mono; src: url(data:font/woff2;base64,${font}) }
    body { margin: 0 }
    main { display: flex; align-items: center; padding-left: ${MARGIN}px; width: fit-content }
    pre { margin: 0; padding: 24px 28px; border-radius: 12px; background: #10202b; color: #dfe8ee;
      font: 15px/1.6 Mono; font-variant-ligatures: none }
    i { font-style: normal; opacity: 0.65 }
  </style><main><pre>${asHtml(written)}</pre><img srcset="data:image/png;base64,${card.toString('base64')} 2x"></main>`)
  await page.evaluate('document.fonts.ready')
  await page.locator('main').screenshot({ path: PICTURE, omitBackground: true })
}

/** What a terminal shows of a text with bold and dim parts. */
function asHtml(written: string): string {
  const escaped = written.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '')
  const marked = escaped
    .replaceAll(/\x1b\[1m(.*?)\x1b\[0m/g, '<b>$1</b>')
    .replaceAll(/\x1b\[2m(.*?)\x1b\[0m/g, '<i>$1</i>')
  return stripVTControlCharacters(marked).trimEnd()
}
