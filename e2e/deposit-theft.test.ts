import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requestIdOf } from '@keyferry/contract/approval-link'
import { createClient } from '@keyferry/contract/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../server/test/program.ts'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { openPage, readRequest } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type ClientOptions, clientTerminal } from './client-terminal.ts'
import { noteAddresses } from './opened-address.ts'
import { joined } from './screenshot-returns.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { closeTerminals, hasTerminal, type Terminal } from './terminal.ts'

const SECRET = 'planted-stolen'
const LINK = /http\S+\/(?:a|approve)\/([\w-]{22,32})/
const QUESTION = /Store in this workspace\? \[y\/N\] /
const USE_QUESTION = /Use this workspace\? \[y\/N\] /

const importing = (bundle: string, more: readonly string[] = []) => [
  'import',
  '.env',
  '--bundle',
  bundle,
  ...more,
]

const PULL = ['pull', 'dev/values', '--format', 'json', '--workspace']
const holding = (value: string) => [
  { name: 'dev/values', keys: [{ name: 'POISON', value, is_secret: true }] },
]

type Call = ReturnType<typeof callAs>

function callAs(url: string, cookie: SessionCookie) {
  const headers = sessionHeaders(url, cookie)
  return createClient(url, (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } }),
  )
}

// The stranger has an account on the server and the link of the import, and nothing else. They approve it for a
// workspace of their own, say that its key is public, and read the value.
describe.skipIf(!hasBrowser() || !hasTerminal()).each(['compat'])(
  'a stranger with the link of an import takes nothing, on a server that demands %s',
  (assurance) => {
    const folder = temporaryFolder()
    let server: RunningServer
    let opened: Awaited<ReturnType<typeof noteAddresses>>
    let cookie: SessionCookie
    let own: string
    let owner: Call
    let stranger: Call
    let strangerHeaders: Record<string, string>
    let theirs: string

    beforeAll(async () => {
      const rate = { REQUESTS_PER_MINUTE: '100' }
      const env = { ...ACCOUNTS, ...rate, TRUST_PROXY: '127.0.0.1', APPROVAL_ASSURANCE: assurance }
      server = await startServer({ env })
      opened = await noteAddresses(folder.path)
      cookie = await setUpOwner(server.url)
      owner = callAs(server.url, cookie)
      own = (await owner('GET', '/api/v1/me', {})).tenant.id
      const strange = await joined(server.url, sessionHeaders(server.url, cookie))
      strangerHeaders = sessionHeaders(server.url, strange)
      stranger = callAs(server.url, strange)
      theirs = (await stranger('POST', '/api/v1/tenants', { body: { name: "sam's workspace" } })).id
      await writeFile(join(folder.path, '.env'), `STOLEN=${SECRET}\n`)
    })
    beforeEach(async () => await rm(join(folder.path, 'state'), { recursive: true, force: true }))
    afterAll(async () => {
      closeTerminals()
      await closePages(await sharedBrowser())
      await server?.dispose()
      folder.remove()
    })

    const client = (words: readonly string[], options: ClientOptions = {}) =>
      clientTerminal({ folder: folder.path, serverUrl: server.url, opened }, words, options)

    /** What the stranger does with the link. */
    async function steal(terminal: Terminal, release?: 'loopback' | 'code') {
      const [, short = ''] = await terminal.appears(LINK)
      const request_id = requestIdOf(short) ?? short // JSON events have the long form
      const headers = { 'keyferry-workspace': theirs }
      const params = { request_id }
      const { user_code } = await stranger('GET', '/api/v1/requests/{request_id}/context', { params })
      const plan = await stranger('POST', '/api/v1/requests/{request_id}/deposit-plan', {
        params,
        headers,
        body: {},
      })
      const body = { plan_id: plan.plan_id, user_code, ...(release ? { release } : {}) }
      return await stranger('POST', '/api/v1/requests/{request_id}/deposit', { params, headers, body })
    }

    async function expectNothingTaken(): Promise<void> {
      const headers = { 'keyferry-workspace': theirs }
      expect(await stranger('GET', '/api/v1/keys', { headers })).toEqual([])
    }

    async function approve(address: string): Promise<Page> {
      const page = await openPage(await sharedBrowser())
      await page.context().addCookies([{ ...cookie, url: server.url }])
      await page.goto(address)
      await page.getByRole('button', { name: /^Store 1 variable/ }).waitFor()
      await readRequest(page)
      await page.getByRole('button', { name: /^Store 1 variable/ }).click()
      return page
    }

    async function pinned(): Promise<void> {
      const terminal = client(importing('dev/pinned'))
      const page = await approve(await opened.next())
      await terminal.appears(QUESTION)
      terminal.type('y\r')
      expect(await terminal.exit).toBe(0)
      await page.context().close()
    }

    test('the click alone is refused, and a code where the terminal opened a browser', async () => {
      const terminal = client(importing('dev/clicked'))
      await opened.next()
      await expect(steal(terminal)).rejects.toMatchObject({ code: 'release_required' })
      await expect(steal(terminal, 'code')).rejects.toMatchObject({ status: 400 })
      terminal.type('\x03')
      expect(await terminal.exit).toBe(130)
      await expectNothingTaken()
    })

    test('a stranger who approves first is named, and the person says no', async () => {
      const terminal = client(importing('dev/asked'))
      await opened.next()
      await steal(terminal, 'loopback')
      await terminal.appears(/Approved by kim for the workspace [0-9a-f-]{36}, named "sam's workspace"/)
      await terminal.appears(QUESTION)
      terminal.type('n\r')
      expect(await terminal.exit).toBe(6)
      expect(terminal.output()).toContain('request withdrawn')
      await expectNothingTaken()
    })

    test("a stranger's code is asked for only after the workspace is confirmed", async () => {
      const terminal = client(importing('dev/coded'), { opens: false })
      await steal(terminal, 'code')
      await terminal.appears(QUESTION)
      expect(terminal.output()).not.toContain('Code:')
      terminal.type('\r')
      expect(await terminal.exit).toBe(6)
      await expectNothingTaken()
    })

    test('without a keyboard nothing is asked, and no link is made', async () => {
      const terminal = client(importing('dev/silent', ['--json']))
      expect(await terminal.exit).toBe(2)
      expect(terminal.output()).toContain('--workspace ID')
      expect(terminal.output()).not.toMatch(LINK)
    })

    test('with --workspace ID the request is unknown to the stranger; the owner needs one click', async () => {
      const terminal = client(importing('dev/flagged', ['--workspace', own]))
      const address = await opened.next()
      await expect(steal(terminal, 'loopback')).rejects.toMatchObject({ status: 404 })
      const page = await approve(address)
      expect(await terminal.exit).toBe(0)
      expect(terminal.output()).toMatch(/approved by sam: stored in dev\/flagged in workspace/)
      expect(terminal.output()).not.toMatch(QUESTION)
      // The receipt of an id in the command pins the workspace for this folder.
      const next = client(importing('dev/flagged-again'))
      const nextPage = await approve(await opened.next())
      expect(await next.exit).toBe(0)
      for (const each of [page, nextPage]) await each.context().close()
      await expectNothingTaken()
    })

    test('with a pin it is the same, until it is forgotten', async () => {
      await pinned()
      const terminal = client(importing('dev/pinned-again'))
      const address = await opened.next()
      await expect(steal(terminal, 'loopback')).rejects.toMatchObject({ status: 404 })
      const page = await approve(address)
      expect(await terminal.exit).toBe(0)
      expect(terminal.output()).not.toMatch(QUESTION)
      await page.context().close()
      const forgetting = client(['forget', '--workspace'])
      expect(await forgetting.exit).toBe(0)
      expect(forgetting.output()).toContain("forgot the workspace sam's workspace")
      const asked = client(importing('dev/forgotten'))
      await opened.next()
      await steal(asked, 'loopback')
      await asked.appears(QUESTION)
      asked.type('n\r')
      expect(await asked.exit).toBe(6)
      await expectNothingTaken()
    })

    test('an id in keyferry.json is a wish: it keeps the stranger out, and is confirmed once', async () => {
      await writeFile(join(folder.path, 'keyferry.json'), JSON.stringify({ workspace: own }))
      try {
        const terminal = client(importing('dev/wished'))
        const address = await opened.next()
        await expect(steal(terminal, 'loopback')).rejects.toMatchObject({ status: 404 })
        const page = await approve(address)
        await terminal.appears(QUESTION)
        terminal.type('y\r')
        expect(await terminal.exit).toBe(0)
        await page.context().close()
      } finally {
        await rm(join(folder.path, 'keyferry.json'))
      }
    })

    const pull = (workspace: string, ...more: string[]) => client([...PULL, workspace, ...more])

    /** Approves a request for values out of a workspace. */
    async function give(terminal: Terminal, call: Call, workspace: string): Promise<void> {
      const [, short = ''] = await terminal.appears(LINK)
      const request_id = requestIdOf(short) ?? short // JSON events have the long form
      const headers = { 'keyferry-workspace': workspace }
      const params = { request_id }
      const { user_code } = await call('GET', '/api/v1/requests/{request_id}/context', { params })
      const bundles = await call('GET', '/api/v1/requests/{request_id}/bundles', { params, headers })
      const bundle = bundles.find(({ name }) => name === 'dev/values')
      const body = { bundle_id: bundle?.id ?? '', include_keys: ['POISON'], user_code }
      await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', { params, headers, body })
    }

    test("values of a stranger's workspace of the same name are not used", async () => {
      const other = (await stranger('POST', '/api/v1/tenants', { body: { name: "sam's workspace" } })).id
      await createLibrary(server.url, holding('planted-poison'), {
        ...strangerHeaders,
        'keyferry-workspace': other,
      })
      await createLibrary(server.url, holding('planted-honest'), sessionHeaders(server.url, cookie))

      const silent = pull("sam's workspace", '--json')
      expect(await silent.exit).toBe(2)
      expect(silent.output()).toContain('--workspace ID')
      const asked = pull("sam's workspace")
      await give(asked, stranger, other)
      await asked.appears(/Approved by kim for the workspace [0-9a-f-]{36}, named "sam's workspace"/)
      await asked.appears(USE_QUESTION)
      asked.type('n\r')
      expect(await asked.exit).toBe(6)
      expect(asked.output()).not.toContain('planted')
      const flagged = pull(own)
      await give(flagged, stranger, other)
      expect(await flagged.exit).toBe(6)
      expect(flagged.output()).not.toContain('planted')

      // After a yes the name means this workspace, here and at this server.
      const honest = pull("sam's workspace")
      await give(honest, owner, own)
      await honest.appears(USE_QUESTION)
      honest.type('y\r')
      expect(await honest.exit).toBe(0)
      expect(honest.output()).toContain('planted-honest')
      const refused = pull("sam's workspace")
      await give(refused, stranger, other)
      expect(await refused.exit).toBe(6)
      const again = pull("sam's workspace", '--json')
      await give(again, owner, own)
      expect(await again.exit).toBe(0)
      for (const each of [flagged, refused, again]) expect(each.output()).not.toMatch(USE_QUESTION)
    })

    test('the name of a workspace is no proof: the stranger has the same', async () => {
      const terminal = client(importing('dev/named', ['--workspace', "sam's workspace"]))
      await opened.next()
      await steal(terminal, 'loopback')
      await terminal.appears(QUESTION)
      terminal.type('n\r')
      expect(await terminal.exit).toBe(6)
      await expectNothingTaken()
    })
  },
)
