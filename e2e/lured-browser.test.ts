import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE_MS, until } from '../plumbing/test/until.ts'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { APPROVE, openPage, readRequest } from './app-page.ts'
import { hasBrowser, launchBrowser } from './browser.ts'
import { Attacker, returnedSecret } from './lure.ts'
import { carryCalls, hasOwnLoopback, launchElsewhere } from './own-loopback.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PATH = `/r/${'A'.repeat(43)}`

describe.skipIf(!hasBrowser() || !hasOwnLoopback())(
  'a lure with a forged way back, in a real browser',
  () => {
    let server: RunningServer
    let cookie: SessionCookie
    let folder: string
    let listener: Awaited<ReturnType<typeof listen>>

    beforeAll(async () => {
      const env = { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1', APPROVAL_ASSURANCE: 'bound' }
      ;[server, listener] = await Promise.all([startServer({ env }), listen()])
      cookie = await setUpOwner(server.url)
      await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))
      folder = await mkdtemp(join(tmpdir(), 'keyferry-lured-'))
    })
    afterAll(async () => {
      await server?.dispose()
      listener?.close()
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    })

    /** The victim follows the attacker's link and approves. */
    async function fallFor(browser: Browser, attacker: Attacker) {
      const id = await attacker.ask('dev/app', ['loopback', 'code'])
      const page = await openPage(browser)
      const approved = Promise.withResolvers<string>()
      await carryCalls(page.context(), server.url, (path, answer) => {
        if (path.endsWith('/encrypt-from-bundle')) approved.resolve(answer)
      })
      await page.context().addCookies([{ ...cookie, url: server.url }])
      await page.goto(`${server.url}/approve/${id}#lb=${listener.port}${PATH.replace('/r/', '.')}`)
      await readRequest(page)
      await page.getByRole('button', { name: APPROVE }).click()
      return { id, page, secret: returnedSecret({ status: 200, body: JSON.parse(await approved.promise) }) }
    }

    test('whose 127.0.0.1 is another machine’s: the attacker’s port hears nothing, and no address shows the secret', async () => {
      const browser = await launchElsewhere(folder)
      try {
        const attacker = new Attacker(server.url)
        const refused = seesRefusal(browser)
        const { id, page, secret } = await fallFor(browser, attacker)
        expect(await refused).toBe(PATH)
        expect(listener.received).toEqual([])
        expect((await attacker.context(id)).body).toMatchObject({ status: 'held' })
        expect(await shownBy(page)).not.toContain(secret)
        expect(attacker.hasBox).toBe(false)
      } finally {
        await browser.close()
      }
    })

    // Without this, the test above could pass because the lure does not work at all.
    test('remains: a listener on the approver’s own machine gets the secret', async () => {
      const browser = await launchBrowser()
      try {
        const attacker = new Attacker(server.url)
        const { secret } = await fallFor(browser, attacker)
        await expect.poll(() => listener.received).toEqual([`${PATH} secret=${secret}`])
      } finally {
        await browser.close()
      }
    })
  },
)

/** The path of the first call that the browser could not make. */
async function seesRefusal(browser: Browser): Promise<string> {
  const context = await until('a window', () => browser.contexts()[0])
  const failed = await context.waitForEvent('requestfailed', {
    predicate: (call) => call.method() === 'POST',
    timeout: PATIENCE_MS,
  })
  return new URL(failed.url()).pathname
}

/** What a person sees, or could copy, of where the browser ended up. */
async function shownBy(page: Page): Promise<string> {
  return [page.url(), await page.title(), await page.content()].join('\n')
}

async function listen() {
  const received: string[] = []
  const server: Server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      received.push(`${request.url} ${body}`)
      response.writeHead(404).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, received, close: () => server.close() }
}
