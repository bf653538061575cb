import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { freePort } from '@keyferry/plumbing/free-port'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MailServer } from '../api/test/mail-server.ts'
import { type IdentityProvider, startIdentityProvider } from '../web/test/identity-provider.ts'
import { callbackOf, passProvider } from '../web/test/sign-in.ts'
import { TestBrowser } from '../web/test/test-browser.ts'
import { ACCOUNTS, OWNER, sessionHeaders, setUpOwner, signIn } from './app-accounts.ts'
import { closePage, joinInBrowser, openPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { SERVER_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

const KIM = { email: 'kim@example.com', password: 'another correct horse' }
const NEWCOMER = { email: 'noa@example.com', password: 'a third correct horse' }

const callsWith = (url: string, headers: Record<string, string>) =>
  createClient(url, (address, init) =>
    fetch(address, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } }),
  )

const bundlesOf = async (call: ReturnType<typeof callsWith>) =>
  (await call('GET', '/api/v1/bundles')).map(({ name }) => name)

/** A team that moves from accounts to a provider, and back: one story, whose tests follow one another. */
describe.skipIf(!hasBrowser())('a team moves its sign-in', () => {
  let browser: Browser
  let provider: IdentityProvider
  let mail: MailServer
  let server: RunningServer
  let url: string
  let port: number
  let dataDir: string
  let oidc: Record<string, string>
  let link: Record<string, string>

  beforeAll(async () => {
    port = await freePort()
    url = `http://127.0.0.1:${port}`
    dataDir = mkdtempSync(join(tmpdir(), 'keyferry-moved-'))
    provider = await startIdentityProvider({ webUrl: url })
    const { issuer, clientId, clientSecret } = provider
    oidc = {
      AUTH_MODE: 'oidc',
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
    }
    link = {
      LINK_FROM: 'oidc',
      LINK_ISSUER: issuer,
      LINK_CLIENT_ID: clientId,
      LINK_CLIENT_SECRET: clientSecret,
    }
    mail = new MailServer()
    await mail.start()
    browser = await sharedBrowser()
    await start(ACCOUNTS)
  })
  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
    await provider?.close()
    await mail?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const start = async (env: Record<string, string>) => {
    await server?.stop()
    const mails = { SMTP_URL: mail.url, MAIL_FROM: 'keyferry@example.com' }
    server = await startServer({ port, dataDir, env: { PUBLIC_URL: url, ...mails, ...env } })
  }
  const account = async (person: typeof OWNER) =>
    callsWith(url, sessionHeaders(url, await signIn(url, person)))
  const atProvider = async (subject: string) => {
    const person = new TestBrowser()
    await person.request(await callbackOf(person, { webUrl: url, subject }))
    return { person, call: callsOf(person) }
  }
  const callsOf = (person: TestBrowser) =>
    callsWith(url, { cookie: `__session=${person.cookies(url).get('__session')}`, origin: url })
  const joinAs = async (owner: ReturnType<typeof callsWith>, { email, password }: typeof OWNER) => {
    await owner('POST', '/api/v1/invitations', { body: { email, role: 'member' } })
    await expect.poll(() => mail.to(email).length).toBe(1)
    const token = /\/invite\/([\w-]+)/.exec(mail.to(email)[0]?.text ?? '')?.[1]
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ token, password }) }
    expect((await fetch(`${url}/sign-up`, init)).status).toBe(200)
  }

  test('accounts end with their mode; a sign-in with the password brings the library to the provider', async () => {
    const old = sessionHeaders(url, await setUpOwner(url))
    const owner = callsWith(url, old)
    await owner('POST', '/api/v1/bundles', { body: { name: 'dev/app' } })
    await joinAs(owner, KIM)
    await start({ ...oidc, LINK_FROM: 'accounts' })
    expect((await fetch(`${url}/api/v1/me`, { headers: old })).status).toBe(401)
    const body = JSON.stringify(OWNER)
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${url}/sign-in`, { method: 'POST', headers, body })).status).toBe(401)

    const page = await openPage(browser)
    await page.goto(`${url}/sign-in`)
    await signInAtProvider(page, 'sam')
    await page.getByText('signed in here in another way').waitFor()
    await page.getByRole('link', { name: 'Link', exact: true }).click()
    await page.getByLabel('Earlier e-mail').fill(OWNER.email)
    await page.getByLabel('Earlier password').fill('a wrong password')
    await page.getByRole('button', { name: 'Link the accounts' }).click()
    await page.getByText('E-mail, password or passkey is wrong').waitFor()
    await page.getByLabel('Earlier password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Link the accounts' }).click()
    await page.waitForURL((address) => address.pathname !== '/account')
    // The address can change before the link counts.
    const signedIn = async () => await bundlesOf((await atProvider('sam')).call)
    await expect.poll(signedIn, { interval: 200 }).toEqual(['dev/app'])
    const { call } = await atProvider('sam')
    const audit = await call('GET', '/api/v1/audit')
    expect(audit.map(({ action }) => action)).toContain('user.linked')
  })

  async function signInAtProvider(page: Page, name: string): Promise<void> {
    await page.waitForURL(`${provider.issuer}/**`)
    await page.getByPlaceholder('Enter any login').fill(name)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${url}/**`)
  }

  test('the operator links those who do not, first dry, then for all', async () => {
    const list = join(dataDir, 'people.txt')
    writeFileSync(list, `# old new\n${KIM.email} kim\n`)
    const linkPeople = (words: string[], settings = oidc) => {
      const { PATH, HOME } = process.env
      const env = { PATH, HOME, DATA_DIR: dataDir, PUBLIC_URL: url, ...settings }
      return spawnSync(process.execPath, [SERVER_PROGRAM, 'link-people', ...words], { env, encoding: 'utf8' })
    }
    const unset = linkPeople([list], { AUTH_MODE: 'oidc' })
    expect([unset.status, unset.stdout]).toEqual([1, ''])
    expect(unset.stderr).toContain('OIDC_ISSUER is missing: link-people needs it')
    const dry = linkPeople([list])
    expect([dry.status, dry.stdout]).toEqual([0, expect.stringContaining('Nothing was changed.')])
    expect(dry.stdout).not.toMatch(/link [\da-f-]{36}/)
    const applied = linkPeople(['apply', list])
    expect([applied.status, applied.stdout]).toEqual([
      0,
      expect.stringContaining('sessions of these people ended'),
    ])
    expect(applied.stdout).toMatch(/link [\da-f-]{36}/)
    const { call } = await atProvider('kim')
    const tenants = await call('GET', '/api/v1/tenants')
    expect(tenants.map(({ role }) => role)).toContain('member')
  })

  test('back at accounts, the passwords still open the same library', async () => {
    await start(ACCOUNTS)
    expect(await bundlesOf(await account(OWNER))).toEqual(['dev/app'])
  })

  test('an invitation comes by mail, with a link that works; a person switches a kind of mail off', async () => {
    const owner = await account(OWNER)
    await owner('POST', '/api/v1/invitations', { body: { email: 'lee@example.com', role: 'member' } })
    await expect.poll(() => mail.to('lee@example.com').length).toBe(1)
    const address = /http:\S+\/invite\/\S+/.exec(mail.to('lee@example.com')[0]?.text ?? '')?.[0] ?? ''
    await closePage(await joinInBrowser(browser, address))

    const page = await openPage(browser)
    await page.context().addCookies([{ ...(await signIn(url, OWNER)), url }])
    await page.goto(`${url}/account`)
    const kind = page.getByLabel('A sign-in from a new network address')
    await kind.click()
    await expect.poll(async () => (await owner('GET', '/api/v1/mails')).off).toEqual(['signed_in'])
    await page.reload()
    await kind.waitFor()
    expect([await kind.isChecked(), page.complaints]).toEqual([false, []])
    await closePage(page)
  })

  test('a person of the provider moves to an account, and undoes it', async () => {
    await start(oidc)
    const before = await atProvider('noa')
    await before.call('POST', '/api/v1/bundles', { body: { name: 'dev/noa' } })
    await start({ ...ACCOUNTS, ...link })
    await joinAs(await account(OWNER), NEWCOMER)
    const person = new TestBrowser()
    const post = (path: string, body: object = {}) => {
      const headers = { 'content-type': 'application/json', origin: url }
      return person.request(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    await post('/sign-in', NEWCOMER)
    const { redirect_to } = (await (await post('/auth/link')).json()) as { redirect_to: string }
    const back = await passProvider(person, { webUrl: url, subject: 'noa', address: redirect_to })
    const stranger = await atSession(NEWCOMER)
    expect((await stranger.request(back)).status).toBe(400)
    expect((await person.request(back)).headers.get('location')).toBe('/sign-in')
    const call = await account(NEWCOMER)
    expect(await bundlesOf(call)).toEqual(['dev/noa'])
    expect(await call('GET', '/api/v1/tenants')).toHaveLength(2)
    const { links } = await call('GET', '/api/v1/auth/links')
    expect(links).toHaveLength(1)
    await post('/sign-in', NEWCOMER)
    expect((await post(`/auth/links/${links[0]?.id}/undo`)).status).toBe(200)
    expect(await bundlesOf(await account(NEWCOMER))).toEqual(['dev/app'])
  })

  async function atSession(person: typeof OWNER): Promise<TestBrowser> {
    const other = new TestBrowser()
    const { name, value } = await signIn(url, person)
    other.setCookie(url, name, value)
    return other
  }
})
