import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionCookie } from './app-accounts.ts'
import { openPage, readRequest } from './app-page.ts'
import { startBoundServer } from './bound-server.ts'
import { hasBrowser, launchBrowser } from './browser.ts'
import { noteAddresses } from './opened-address.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import type { RunningServer } from './start-server.ts'
import { closeTerminals, hasTerminal, inTerminal } from './terminal.ts'

describe.skipIf(!hasBrowser() || !hasTerminal())('a terminal without a credential lists names', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie
  let folder: string
  let opened: Awaited<ReturnType<typeof noteAddresses>>

  beforeAll(async () => {
    ;[{ server, cookie }, browser] = await Promise.all([startBoundServer(), launchBrowser()])
    folder = await mkdtemp(join(tmpdir(), 'keyferry-ls-'))
    opened = await noteAddresses(folder)
  })

  afterAll(async () => {
    closeTerminals()
    await browser?.close()
    await server?.dispose()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  function environment(opens: boolean) {
    const { PATH, HOME } = process.env
    const own = { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url }
    const runtime = { XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: join(folder, 'state') }
    return { ...own, ...runtime, BROWSER: opens ? opened.program : 'none' }
  }

  function client(words: readonly string[], opens = true) {
    return inTerminal([process.execPath, CLIENT_PROGRAM, ...words], { cwd: folder, env: environment(opens) })
  }

  async function press(address: string, name: RegExp) {
    const page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(address)
    await page.getByRole('list', { name: /to list$/ }).waitFor()
    await readRequest(page)
    await page.getByRole('button', { name }).click()
    return page
  }

  test('ls of a bundle prints its names after one click, over loopback', async () => {
    const terminal = client(['ls', 'dev/app'])
    const page = await press(await opened.next(), /^List \d+ names of/)
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).toMatch(/approved: \d+ names of dev\/app in workspace/)
    expect(terminal.output()).toMatch(/STRIPE_SECRET_KEY +secret/)
    expect(terminal.output()).not.toContain('planted-')
    await page.getByRole('heading', { name: 'Listed' }).waitFor()
    await page.context().close()
  })

  test('ls prints the bundles, and the code brings the approval back', async () => {
    const terminal = client(['ls'], false)
    const [link] = await terminal.appears(/http\S+\/approve\/[0-9a-f]{32}/)
    const page = await press(link, /^List \d+ bundles of/)
    const code = await page.getByText(/^\d{3} \d{3}$/).innerText()
    await terminal.appears(/Code: /)
    terminal.type(`${code}\r`)
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).toMatch(/prod\/shop\/app +\d+ keys?/)
    await page.context().close()
  })

  test('what completion runs makes no request', () => {
    const words = [CLIENT_PROGRAM, 'ls', '--here', '--quiet']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: folder,
      env: environment(false),
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})
