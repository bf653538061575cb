import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { SessionCookie } from './app-accounts.ts'
import { openPage } from './app-page.ts'
import { startBoundServer } from './bound-server.ts'
import { closePages, sharedBrowser } from './browser.ts'
import { type ClientOptions, clientTerminal } from './client-terminal.ts'
import { noteAddresses } from './opened-address.ts'
import type { RunningServer } from './start-server.ts'
import { closeTerminals, type Terminal } from './terminal.ts'

/** A hosted server that binds approvals, with a library and its owner. */
export type BoundTerminals = {
  server: RunningServer
  browser: Browser
  /** Of the owner. */
  cookie: SessionCookie
  /** Of the clients. */
  folder: string
  opened: Awaited<ReturnType<typeof noteAddresses>>
  client(words: readonly string[], options?: ClientOptions): Terminal
  /** A page of the signed-in owner. */
  signedIn(): ReturnType<typeof openPage>
  close(): Promise<void>
}

export async function openBoundTerminals(): Promise<BoundTerminals> {
  const [{ server, cookie }, browser] = await Promise.all([startBoundServer(), sharedBrowser()])
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-terminals-'))
  const opened = await noteAddresses(folder)
  return {
    server,
    browser,
    cookie,
    folder,
    opened,
    client: (words, options) => clientTerminal({ folder, serverUrl: server.url, opened }, words, options),
    async signedIn() {
      const page = await openPage(browser)
      await page.context().addCookies([{ ...cookie, url: server.url }])
      return page
    },
    async close() {
      closeTerminals()
      await closePages(browser)
      await server.dispose()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
