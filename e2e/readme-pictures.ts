import { mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { createLibrary } from './app-library.ts'
import { readRequest } from './app-page.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { startServer } from './start-server.ts'
import { inTerminal } from './terminal.ts'

const FOLDER = join(import.meta.dirname, '../docs/pictures')
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

/** Take the README's two pictures: a client that waits in a real terminal, and the approval page of its request. */
export async function takeReadmePictures(browser: Browser): Promise<void> {
  await Promise.all([FOLDER, PROJECT].map((folder) => mkdir(folder, { recursive: true })))
  await writeFile(join(PROJECT, 'package.json'), JSON.stringify({ scripts: { dev: 'node --version' } }))
  const server = await startServer({ env: { PORT: '5393' } })
  try {
    await createLibrary(server.url)
    const { PATH } = process.env
    const terminal = inTerminal([...KEYFERRY, ...COMMAND], {
      columns: 76,
      cwd: PROJECT,
      env: { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url },
    })
    const [link] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}/)
    await terminal.appears(/\d:\d\d/)
    const context = await browser.newContext({
      viewport: { width: 1100, height: 660 },
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    const shown = stripVTControlCharacters(terminal.output()).replaceAll('\r', '')
    await takeTerminal(page, `$ keyferry ${COMMAND.join(' ')}\n${shown}`)
    await takeApproval(page, link)
    await page.getByRole('button', { name: /^Approve|: approve/ }).click()
    await terminal.exit
    await context.close()
  } finally {
    await server.dispose()
    await rm(HOME, { recursive: true, force: true })
  }
}

async function takeTerminal(page: Page, text: string): Promise<void> {
  await page.setContent(`<style>
    body { margin: 0; background: #f6f7f9 }
    main { padding: 24px; width: fit-content }
    pre { margin: 0; padding: 20px 24px; border-radius: 10px; background: #10202b; color: #dfe8ee; font: 15px/1.5 monospace }
  </style><main><pre></pre></main>`)
  await page.locator('pre').evaluate((pre, content) => {
    pre.textContent = content
  }, text.trimEnd())
  await page.locator('main').screenshot({ path: join(FOLDER, 'terminal.png') })
}

async function takeApproval(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await readRequest(page)
  await page.waitForTimeout(1_500)
  await page.screenshot({ path: join(FOLDER, 'approval.png') })
}
