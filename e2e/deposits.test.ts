import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { openPage, readRequest } from './app-page.ts'
import { hasBrowser, launchBrowser } from './browser.ts'
import { noteAddresses } from './opened-address.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { closeTerminals, hasTerminal, inTerminal } from './terminal.ts'

const KEYFERRY = [process.execPath, join(import.meta.dirname, '../cli/bin/keyferry.js')]

describe.skipIf(!hasBrowser() || !hasTerminal())('a terminal without a credential stores values', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie
  let folder: string
  let opened: Awaited<ReturnType<typeof noteAddresses>>

  beforeAll(async () => {
    const env = { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1', APPROVAL_ASSURANCE: 'bound' }
    ;[server, browser] = await Promise.all([startServer({ env }), launchBrowser()])
    cookie = await setUpOwner(server.url)
    await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))
    folder = await mkdtemp(join(tmpdir(), 'keyferry-deposits-'))
    opened = await noteAddresses(folder)
  })

  afterAll(async () => {
    closeTerminals()
    await browser?.close()
    await server?.dispose()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** A client in a new terminal, whose browser tells its address. */
  function client(words: readonly string[], opens = true, more: Readonly<Record<string, string>> = {}) {
    const { PATH, HOME } = process.env
    const own = { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url }
    const browserIs = { BROWSER: opens ? opened.program : 'none' }
    const runtime = { XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: join(folder, 'state') }
    return inTerminal([...KEYFERRY, ...words], {
      cwd: folder,
      env: { ...own, ...browserIs, ...runtime, ...more },
    })
  }

  async function approve(address: string, name: RegExp) {
    const page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(address)
    await page.getByRole('button', { name }).waitFor()
    await readRequest(page)
    await page.getByRole('button', { name }).click()
    return page
  }

  async function exported(bundle: string): Promise<string> {
    const headers = sessionHeaders(server.url, cookie)
    const list = await fetch(`${server.url}/api/v1/bundles?query=${bundle}`, { headers })
    const bundles: { id: string; name: string }[] = JSON.parse(await list.text())
    const id = bundles.find(({ name }) => name === bundle)?.id ?? ''
    return await (await fetch(`${server.url}/api/v1/bundles/${id}/export`, { headers })).text()
  }

  test('import stores a file after one click, over loopback', async () => {
    await writeFile(join(folder, '.env'), 'HOST=db.example\nTOKEN=planted-token\n')
    const terminal = client(['import', '.env', '--bundle', 'dev/cli', '--public', 'HOST'])
    const page = await approve(await opened.next(), /^Store 2 variables/)
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).toMatch(/approved by sam: stored in dev\/cli in workspace .*: 2 new/)
    await page.getByRole('heading', { name: 'Stored' }).waitFor()
    expect(await exported('dev/cli')).toBe('HOST=db.example\nTOKEN=*****\n')
    await page.context().close()
  })

  test('set asks for a value without showing it, and the code brings the approval back', async () => {
    const terminal = client(['set', 'TYPED', '--bundle', 'dev/typed'], false)
    await terminal.appears(/TYPED: /)
    terminal.type('planted-typed\r')
    const [link] = await terminal.appears(/http\S+\/approve\/[0-9a-f]{32}/)
    const page = await approve(link, /^Store 1 variable/)
    const code = await page.getByText(/^\d{3} \d{3}$/).innerText()
    await terminal.appears(/Code: /)
    terminal.type(`${code}\r`)
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).not.toContain('planted-typed')
    expect(await exported('dev/typed')).toBe('TYPED=*****\n')
    await page.context().close()
  })

  test('unset removes a name with an approval, and edit removes the lines that are gone', async () => {
    await writeFile(join(folder, '.env'), 'KEPT=1\nGONE=2\nEDITED=3\n')
    const importing = client(['import', '.env', '--bundle', 'dev/less', '--public', 'KEPT,GONE,EDITED'])
    const pages = [await approve(await opened.next(), /^Store 3 variables/)]
    expect(await importing.exit).toBe(0)
    const unset = client(['unset', 'GONE', '--bundle', 'dev/less', '--receipt', 'unset.json'])
    pages.push(await approve(await opened.next(), /^Remove 1 variable from/))
    expect(await unset.exit).toBe(0)
    expect(unset.output()).toMatch(/stored in dev\/less in workspace .*: 1 removed/)
    const verified = client(['receipt', 'verify', 'unset.json'])
    await verified.appears(/Bundle +dev\/less in workspace .*\s+Removed +GONE/)
    expect(await exported('dev/less')).toBe('KEPT=1\nEDITED=3\n')
    const edit = client(['edit', 'dev/less'], true, { EDITOR: 'sed -i -e s/KEPT=1/KEPT=9/ -e /EDITED/d' })
    pages.push(await approve(await opened.next(), /^Approve 2 keys/))
    pages.push(await approve(await opened.next(), /^Store 1 variable in .*remove\s1/))
    expect(await edit.exit).toBe(0)
    expect(await exported('dev/less')).toBe('KEPT=9\n')
    for (const page of pages) await page.context().close()
  })

  test('a denied deposit ends the command with the code of a denial', async () => {
    const terminal = client(['set', 'DENIED', '--bundle', 'dev/denied', '--generate', '32'])
    const page = await approve(await opened.next(), /^Deny/)
    expect(await terminal.exit).toBe(3)
    expect(terminal.output()).toContain('Nothing was stored.')
    await page.context().close()
  })
})
