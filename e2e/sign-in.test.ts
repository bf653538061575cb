import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { freePort } from '@keyferry/plumbing/free-port'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type IdentityProvider, startIdentityProvider } from '../web/test/identity-provider.ts'
import { APPROVE, closePage, openPage, readRequest, typeCheckCode, type WatchedPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { noteAddresses } from './opened-address.ts'
import { clientIn } from './page-client.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { closeTerminals, hasTerminal, inTerminal } from './terminal.ts'

const KEYFERRY = [process.execPath, CLIENT_PROGRAM]

async function addLibrary(page: Page): Promise<void> {
  const call = clientIn(page)
  const key = await call('POST', '/api/v1/keys', { body: { name: 'TOKEN', value: 'välue' } })
  const bundle = await call('POST', '/api/v1/bundles', { body: { name: 'dev/app' } })
  const params = { bundle_id: bundle.id, key_id: key.id }
  await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params })
}

const keptNames = (page: Page) => page.evaluate('Object.keys(sessionStorage).join()')

const me = async (page: Page) => await clientIn(page)('GET', '/api/v1/me')

const invite = async (page: Page, email: string) =>
  await clientIn(page)('POST', '/api/v1/invitations', { body: { email, role: 'member' } })

/** A page that sends a form with JSON in it, which a browser does without asking first. */
function formPage(action: string): string {
  const name = '{"name":"PLANTED","value":"x","rest":"'
  return `<!doctype html><form action="${action}" method="post" enctype="text/plain">
<input name='${name}' value='"}'></form><script>document.forms[0].submit()</script>`
}

/** A page that tries every kind of fetch. */
function fetchPage(target: string): string {
  return `<!doctype html><p>trying</p><script>
const body = '{"name":"PLANTED","value":"x"}'
const json = { 'content-type': 'application/json' }
const inits = [{ body }, { body, headers: json }, {}]
async function tryAll() {
  for (const path of ['/api/v1/keys', '/api/v1/bundles', '/sign-out', '/auth/sessions/end-all'])
    for (const init of inits)
      for (const mode of ['no-cors', 'cors'])
        await fetch('${target}' + path, { method: 'POST', mode, credentials: 'include', ...init }).catch(() => null)
  document.querySelector('p').textContent = 'tried everything'
}
tryAll()
</script>`
}

describe.skipIf(!hasBrowser())('people who sign in at an identity provider', () => {
  let browser: Browser
  let provider: IdentityProvider
  let server: RunningServer
  let url: string

  beforeAll(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    provider = await startIdentityProvider({ webUrl: url })
    const { issuer, clientId, clientSecret } = provider
    const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret }
    ;[server, browser] = await Promise.all([
      startServer({ port, env: { AUTH_MODE: 'oidc', PUBLIC_URL: url, ...oidc } }),
      sharedBrowser(),
    ])
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
    await provider?.close()
  })

  /** Through the provider's pages, from wherever the server sent the browser there. */
  async function passProvider(page: Page, name: string): Promise<void> {
    await page.waitForURL(`${provider.issuer}/**`)
    await page.getByPlaceholder('Enter any login').fill(name)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${url}/**`)
  }

  async function signedIn(name: string, path = '/sign-in') {
    const page = await openPage(browser)
    await page.goto(url + path)
    await passProvider(page, name)
    return page
  }

  test('an approval link leads through sign-in to the approval, and the client gets the values', async () => {
    const first = await signedIn('sam')
    await addLibrary(first)
    await closePage(first)
    const keys = generateKeyPair()
    const client = createClient(url)
    const asked = await client('POST', '/api/v1/requests', {
      body: { client_pubkey: Buffer.from(keys.publicKey).toString('base64'), bundle_id: 'dev/app' },
    })
    const page = await signedIn('sam', asked.verification_uri_complete)
    expect(page.url()).toBe(url + asked.verification_uri_complete)
    await readRequest(page)
    await typeCheckCode(page, asked.user_code)
    await page.getByRole('button', { name: /^Approve|: approve/ }).click()
    const params = { request_id: asked.id }
    const result = await client('GET', '/api/v1/requests/{request_id}/wait', { params })
    if (result.status !== 'ready') throw new Error('not approved')
    const plaintext = Buffer.from(open(Buffer.from(result.ciphertext_base64, 'base64'), keys)).toString()
    expect(JSON.parse(plaintext)).toEqual({ TOKEN: 'välue' })
    await closePage(page)
  })

  describe.skipIf(!hasTerminal())('the address that a client opens', () => {
    let folder: string
    let opened: Awaited<ReturnType<typeof noteAddresses>>
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'keyferry-sign-in-'))
      opened = await noteAddresses(folder)
    })
    afterAll(async () => {
      closeTerminals()
      await rm(folder, { recursive: true, force: true })
    })

    const run = () => {
      const { PATH, HOME } = process.env
      const own = { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: url }
      const folders = { XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: join(folder, 'state') }
      const env = { ...own, ...folders, BROWSER: opened.program }
      return inTerminal([...KEYFERRY, 'run', 'dev/app', '--', 'true'], { cwd: folder, env })
    }

    test('keeps the return address of the terminal through a sign-in at the provider, which does not see it', async () => {
      const first = await signedIn('returner')
      await addLibrary(first)
      await closePage(first)
      const terminal = run()
      const page = await openPage(browser)
      const seen: string[] = []
      page.on('framenavigated', (frame) => seen.push(frame.url()))
      await page.goto(await opened.next())
      await passProvider(page, 'returner')
      await readRequest(page)
      const atProvider = seen.filter((address) => address.startsWith(provider.issuer))
      expect(atProvider.length).toBeGreaterThan(0)
      expect(atProvider.filter((address) => address.includes('#'))).toEqual([])
      expect(page.url()).toMatch(new RegExp(`^${url}/approve/[0-9a-f]{32}$`))
      expect(await page.getByRole('region', { name: 'Check code' }).count()).toBe(0)
      expect(await keptNames(page)).toContain('keyferry:way-back:')
      await page.getByRole('button', { name: APPROVE }).click()
      expect(await terminal.exit).toBe(0)
      await page.getByRole('heading', { name: 'Delivered' }).waitFor()
      await expect.poll(() => keptNames(page)).not.toContain('keyferry:way-back:')
      await closePage(page)
    })

    test('leads to sign-in and to the request without scripts too', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false })
      const page = await context.newPage()
      const path = `/approve/${'0'.repeat(32)}`
      await page.goto(`${url}${path}#lb=40123.${'A'.repeat(43)}`)
      await passProvider(page, 'scriptless')
      expect(page.url()).toBe(url + path)
      await context.close()
    })
  })

  test('an invitation takes a new person through sign-in into the team in one go', async () => {
    const owner = await signedIn('owner')
    const { accept_path } = await invite(owner, 'newcomer@example.com')
    const team = (await me(owner)).tenant
    const page = await signedIn('newcomer', accept_path)
    expect(page.url()).toBe(url + accept_path)
    await page.getByRole('button', { name: 'Join the workspace' }).click()
    await page.getByRole('heading', { name: `You joined ${team.name}` }).waitFor()
    expect(await page.getByRole('button', { name: 'Stay where I was' }).count()).toBe(0)
    await page.getByRole('button', { name: `Open ${team.name}` }).click()
    await page.waitForURL(`${url}/w/${team.id}/`)
    expect(await me(page)).toMatchObject({ email: 'newcomer@example.com', role: 'member', tenant: team })
    expect(await clientIn(page)('GET', '/api/v1/tenants')).toHaveLength(1)
    await Promise.all([closePage(page), closePage(owner)])
  })

  test('the chosen tenant is kept for this session; a person who loses it returns to their own', async () => {
    const [owner, guest] = [await signedIn('host'), await signedIn('guest')]
    const { token } = await invite(owner, 'guest@example.com')
    const call = clientIn(guest)
    const own = await me(guest)
    const joined = await call('POST', '/api/v1/invitations/accept', { body: { token } })
    expect((await me(guest)).tenant.id).toBe(own.tenant.id)
    await call('POST', '/api/v1/tenants/switch', { body: { tenant_id: joined.tenant_id } })
    const params = { user_id: own.user_id }
    await clientIn(owner)('DELETE', '/api/v1/members/{user_id}', { params })
    expect((await me(guest)).tenant.id).toBe(own.tenant.id)
    await Promise.all([closePage(owner), closePage(guest)])
  })

  test('a logout at the provider ends the session here', async () => {
    const page = await signedIn('leaver')
    expect((await me(page)).email).toBe('leaver@example.com')
    await page.goto(`${provider.issuer}/session/end`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('signed out').waitFor()
    await page.goto(`${url}/settings`)
    expect(page.url()).toContain(provider.issuer)
    await page.context().close()
  })

  describe('a page of another origin', () => {
    let attacker: Server
    let page: WatchedPage

    beforeAll(async () => {
      attacker = createServer((request, response) => {
        const form = new URL(request.url ?? '/', 'http://any').searchParams.get('form')
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(form ? formPage(url + form) : fetchPage(url))
      }).listen(0, '127.0.0.1')
      await once(attacker, 'listening')
      page = await signedIn('victim')
    })
    afterAll(async () => {
      await page?.context().close()
      attacker.closeAllConnections()
      attacker.close()
    })

    // 127.0.0.1 on another port is another origin of the same site, to which browsers send Lax cookies.
    test.each(['localhost', '127.0.0.1'])('at %s has no effect on what the person has here', async (host) => {
      const address = attacker.address()
      const origin = `http://${host}:${typeof address === 'object' ? address?.port : ''}`
      const foreign = await page.context().newPage()
      await foreign.goto(origin)
      await foreign.getByText('tried everything').waitFor()
      for (const path of ['/api/v1/keys', '/api/v1/bundles', '/sign-out', '/auth/sessions/end-all']) {
        await foreign.goto(`${origin}/?form=${path}`)
        await foreign.waitForURL(url + path)
      }
      await foreign.close()
      expect(await clientIn(page)('GET', '/api/v1/keys')).toEqual([])
      expect(await clientIn(page)('GET', '/api/v1/bundles')).toEqual([])
      expect((await me(page)).email).toBe('victim@example.com')
    })
  })

  test('two people in two windows on one server have separate sessions', async () => {
    const [one, two] = [await signedIn('one'), await signedIn('two')]
    await addLibrary(one)
    expect(await clientIn(two)('GET', '/api/v1/keys')).toEqual([])
    expect((await me(one)).email).toBe('one@example.com')
    expect((await me(two)).email).toBe('two@example.com')
    await Promise.all([closePage(one), closePage(two)])
  })

  test('the session is nothing that a script can read', async () => {
    const page = await signedIn('reader')
    expect(await page.evaluate('document.cookie')).toBe('')
    await closePage(page)
  })
})
