import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLibrary } from './app-library.ts'
import { APPROVE, closePage, openKeys, openPage, readRequest } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { hasTerminal, inTerminal } from './terminal.ts'

const KEYFERRY = [process.execPath, CLIENT_PROGRAM]

const TEXT = `export PLAIN=hello world # a note
JOINED='it'\\''s'
DOUBLE="a 'quote', a $dollar\\nand more"
LINES="first
  second"
UNICODE=grüße 🚢
EMPTY=
`
const EXPECTED = {
  PLAIN: 'hello world',
  JOINED: "it's",
  DOUBLE: "a 'quote', a $dollar\nand more",
  LINES: 'first\n  second',
  UNICODE: 'grüße 🚢',
  EMPTY: '',
}

describe.skipIf(!hasBrowser() || !hasTerminal())('from a paste in the browser to a terminal', () => {
  let server: RunningServer
  let browser: Browser
  let folder: string

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    folder = await mkdtemp(join(tmpdir(), 'keyferry-paste-'))
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** A client that waits in a new terminal for an approval at `link`. */
  async function pull(words: readonly string[]) {
    const { PATH, HOME } = process.env
    const terminal = inTerminal([...KEYFERRY, 'pull', ...words], {
      cwd: folder,
      env: { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url },
    })
    const [link] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}/)
    return { terminal, link }
  }

  test('a newcomer chooses a file, follows the page, approves, and the terminal has every byte', async () => {
    const page = await openPage(browser)
    await page.goto(server.url)
    const file = { name: '.env', mimeType: 'text/plain', buffer: Buffer.from(TEXT) }
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByLabel('Bundle').fill('dev/app')
    await page.getByRole('button', { name: 'Import 6 variables' }).click()
    await page.getByText('keyferry run dev/app').waitFor()

    const output = join(folder, 'values.json')
    const { terminal, link } = await pull(['dev/app', '--format', 'json', '--output', output])
    await page.goto(link)
    await readRequest(page)
    await page.getByRole('button', { name: APPROVE }).click()
    expect(await terminal.exit).toBe(0)
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    expect(JSON.parse(await readFile(output, 'utf8'))).toEqual(EXPECTED)
    await closePage(page)
  })
  test('what the page says of the client is so: more than asked for, and a name that its format cannot express', async () => {
    const keys = ['API_TOKEN', '2FA_SEED'].map((name) => ({ name, value: 'x', is_secret: true }))
    await createLibrary(server.url, [{ name: 'dev/said', keys }])
    const page = await openPage(browser)
    const more = await pull(['dev/said', '--keys', 'API_TOKEN'])
    await page.goto(more.link)
    await readRequest(page)
    await openKeys(page)
    await page.getByText('1 variable that was not requested').click()
    await page.getByRole('checkbox', { name: '2FA_SEED' }).check()
    await page.getByText('refuses a delivery with more than it requested').waitFor()
    await page.getByRole('button', { name: APPROVE }).click()
    await page.getByRole('button', { name: 'Approve anyway' }).click()
    expect(await more.terminal.exit).toBe(6)
    expect(more.terminal.output()).toContain('variables that were not requested: 2FA_SEED')

    const misfit = await pull(['dev/said', '--format', 'fish'])
    await page.goto(misfit.link)
    await readRequest(page)
    await page.getByRole('button', { name: APPROVE }).click()
    expect(await misfit.terminal.exit).toBe(1)
    expect(misfit.terminal.output()).toContain('the format fish cannot hold: 2FA_SEED')
    expect(misfit.terminal.output()).toContain('Nothing was written.')
    await closePage(page)
  })
})
