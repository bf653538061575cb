import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { freePort } from '@keyferry/plumbing/free-port'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MailServer } from '../api/test/mail-server.ts'
import { type IdentityProvider, startIdentityProvider } from '../web/test/identity-provider.ts'
import { callbackOf } from '../web/test/sign-in.ts'
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

  const operator = (words: string[], settings: Record<string, string>) => {
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, DATA_DIR: dataDir, PUBLIC_URL: url, ...settings }
    return spawnSync(process.execPath, [SERVER_PROGRAM, ...words], { env, encoding: 'utf8' })
  }
  const listOf = (lines: string) => {
    const file = join(dataDir, 'people.txt')
    writeFileSync(file, lines)
    return file
  }

  test('accounts end with their mode', async () => {
    const old = sessionHeaders(url, await setUpOwner(url))
    const owner = callsWith(url, old)
    await owner('POST', '/api/v1/bundles', { body: { name: 'dev/app' } })
    await joinAs(owner, KIM)
    await start(oidc)
    expect((await fetch(`${url}/api/v1/me`, { headers: old })).status).toBe(401)
    const body = JSON.stringify(OWNER)
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${url}/sign-in`, { method: 'POST', headers, body })).status).toBe(404)
    expect(await bundlesOf((await atProvider('sam')).call)).toEqual([])
  })

  test('the operator links them to the provider, first dry, then for all', async () => {
    const list = listOf(`# old new\n${OWNER.email} sam\n${KIM.email} kim\n`)
    const unset = operator(['link-people', list], { AUTH_MODE: 'oidc' })
    expect([unset.status, unset.stdout]).toEqual([1, ''])
    expect(unset.stderr).toContain('OIDC_ISSUER is missing: link-people needs it')
    const dry = operator(['link-people', list], oidc)
    expect([dry.status, dry.stdout]).toEqual([0, expect.stringContaining('Nothing was changed.')])
    expect(dry.stdout).not.toMatch(/link [\da-f-]{36}/)
    const applied = operator(['link-people', 'apply', list], oidc)
    expect([applied.status, applied.stdout]).toEqual([
      0,
      expect.stringContaining('sessions of these people ended'),
    ])
    expect(applied.stdout).toMatch(/link [\da-f-]{36}/)
    const sam = (await atProvider('sam')).call
    expect(await bundlesOf(sam)).toEqual(['dev/app'])
    const audit = await sam('GET', '/api/v1/audit')
    expect(audit.map(({ action }) => action)).toContain('user.linked')
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
    await page.goto(`${url}/settings`)
    const kind = page.getByLabel('A sign-in from a new network address')
    await kind.click()
    await expect.poll(async () => (await owner('GET', '/api/v1/mails')).off).toEqual(['signed_in'])
    await page.reload()
    await kind.waitFor()
    expect([await kind.isChecked(), page.complaints]).toEqual([false, []])
    await closePage(page)
  })

  test('the operator moves a person of the provider to an account, and undoes it', async () => {
    await start(oidc)
    const before = await atProvider('noa')
    await before.call('POST', '/api/v1/bundles', { body: { name: 'dev/noa' } })
    await start(ACCOUNTS)
    await joinAs(await account(OWNER), NEWCOMER)
    const list = listOf(`${NEWCOMER.email} ${NEWCOMER.email}\n`)
    expect(operator(['link-people', 'apply', list], ACCOUNTS).stderr).toBe('')
    const call = await account(NEWCOMER)
    expect(await bundlesOf(call)).toEqual(['dev/noa'])
    expect(await call('GET', '/api/v1/tenants')).toHaveLength(2)
    const listed = operator(['unlink-people'], ACCOUNTS).stdout
    const line = listed.split('\n').find((each) => each.includes(NEWCOMER.email)) ?? ''
    const id = /link ([\da-f-]{36})/.exec(line)?.[1] ?? ''
    const undone = operator(['unlink-people', id], ACCOUNTS)
    expect([undone.status, undone.stdout]).toEqual([0, expect.stringContaining('The link is undone.')])
    await expect(call('GET', '/api/v1/me')).rejects.toMatchObject({ status: 401 })
    expect(await bundlesOf(await account(NEWCOMER))).toEqual(['dev/app'])
  })
})
