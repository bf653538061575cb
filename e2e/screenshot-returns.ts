import { randomInt } from 'node:crypto'
import { createClient } from '@keyferry/contract/client'
import { createDeviceSeed, signDeviceRequest } from '@keyferry/crypto/device-key'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import type { Page } from 'playwright-core'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createAsClient, createLibrary, LIBRARY } from './app-library.ts'
import { readRequest } from './app-page.ts'
import type { Shot, World } from './shot.ts'
import { startServer } from './start-server.ts'

const CWD = '/home/sam/projects/shop/services/checkout-api'
const WAY_BACK = `#lb=9.${'A'.repeat(43)}`
const PASSWORD = 'a password of the tests'
const UNREACHED_WITHIN_MS = 20_000

type Terminal = { seed: Uint8Array; address: string; agent?: string; use?: typeof USE }

const USE = { redaction: 'auto', flags: ['run'] } as const

// Its values are in no other bundle, so the rules of no other bundle count for it.
const REMEMBERED = 'ci'

/** The pages of approvals that return or are remembered: several commands at once, two people, a return that fails. */
export async function returnShots(): Promise<World> {
  const server = await startServer({ env: { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1' } })
  const { url } = server
  const owner = await setUpOwner(url)
  const headers = sessionHeaders(url, owner)
  const { bundles } = await createLibrary(url, undefined, headers)
  const idOf = (name: string) => bundles.get(name) ?? ''
  const params = { bundle_id: idOf('dev/worker') }
  await createClient(url)('PUT', '/api/v1/bundles/{bundle_id}/policy', {
    params,
    headers,
    body: { approvals_needed: 2 },
  })
  await createClient(url)('PUT', '/api/v1/bundles/{bundle_id}/policy', {
    params: { bundle_id: idOf(REMEMBERED) },
    headers,
    body: { agents: 'remember' },
  })
  const member = await joined(url, headers)
  const asking = { url, headers, idOf }
  for (const command of [['dev'], ['test', '--', '--watch', 'checkout']]) await remember(asking, command)
  const known: Terminal = { ...terminal(), use: USE }
  await remember(asking, ['dev', '--', '--port', '3000'], known)
  const agents = { ...known, agent: 'claude-code' }
  const opened = (path: string, after?: (page: Page) => Promise<void>, cookie = owner) =>
    open(url, { cookie, path, after })
  const allowTasks = () =>
    createClient(url)('PUT', '/api/v1/bundles/{bundle_id}/policy', {
      params: { bundle_id: idOf(REMEMBERED) },
      headers,
      body: { tasks: 'allow', agents: 'remember' },
    })
  const list: Shot[] = [
    {
      name: 'consent-unreached',
      show: async (page) => {
        const { path } = await ask(url, terminal(), { bundle: 'dev/app', command: ['dev'] })
        await opened(path + WAY_BACK, readRequest)(page)
        await unreached(page, url + path)
      },
    },
    {
      name: 'consent-left',
      show: async (page) => {
        const { id, path, verifier } = await ask(url, agents, { bundle: REMEMBERED, command: ['test'] })
        await leave(url, id, verifier)
        await opened(path, readRequest)(page)
      },
    },
    {
      name: 'consent-left-approved',
      show: async (page) => {
        const { id, path, verifier } = await ask(url, agents, { bundle: REMEMBERED, command: ['lint'] })
        await leave(url, id, verifier)
        await opened(path, readRequest)(page)
        await page.getByRole('button', { name: 'Once' }).click()
        await page.getByRole('heading', { name: 'Approved for the next run' }).waitFor()
      },
    },
    {
      name: 'consent-killed',
      show: async (page) => {
        const { path } = await ask(url, agents, { bundle: REMEMBERED, command: ['build'] })
        await opened(path + WAY_BACK, readRequest)(page)
        await unreached(page, url + path)
      },
    },
    {
      name: 'consent-task',
      show: async (page) => {
        await allowTasks()
        const { path } = await ask(url, agents, { bundle: REMEMBERED, command: ['test'] })
        await ask(url, agents, { bundle: REMEMBERED, command: ['lint', '--', '--fix'] })
        await opened(path + WAY_BACK, readRequest)(page)
        await page.getByRole('radio', { name: /^the task/ }).check()
        await page.getByText('These commands wait').waitFor()
      },
    },
    {
      name: 'consent-second-of-two',
      show: async (page) => {
        const { id, path } = await ask(url, terminal(), { bundle: 'dev/worker', command: ['worker'] })
        await approve(asking, id, 'dev/worker', {})
        await opened(path, readRequest, member)(page)
      },
    },
    {
      name: 'consent-second-of-two-code',
      show: async (page) => {
        const { id, path } = await ask(url, terminal(), { bundle: 'dev/worker', command: ['worker'] })
        await approve(asking, id, 'dev/worker', {})
        await opened(path, readRequest, member)(page)
        await page.getByRole('button', { name: /^Approve|: approve/ }).click()
        await page.getByRole('heading', { name: 'Type this code into the terminal' }).waitFor()
      },
    },
    {
      name: 'home-task',
      show: async (page) => {
        await allowTasks()
        await remember(asking, ['test'], agents, { remember_for: 'task' })
        await ask(url, agents, { bundle: REMEMBERED, command: ['lint', '--', '--fix'] })
        await opened('/')(page)
      },
    },
    { name: 'remembered-account', show: opened('/settings', scrollTo('Remembered approvals')) },
    { name: 'remembered-workspace', show: opened('/rules', scrollTo('Remembered approvals')) },
  ]
  return { list, servers: [server] }
}

const terminal = (): Terminal => ({
  seed: createDeviceSeed(),
  address: `198.51.${randomInt(256)}.${randomInt(256)}`,
})

type Opened = { cookie: SessionCookie; path: string; after?: ((page: Page) => Promise<void>) | undefined }

function open(url: string, { cookie, path, after }: Opened) {
  return async (page: Page) => {
    await page.context().addCookies([{ ...cookie, url }])
    await page.goto(url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await after?.(page)
  }
}

/** Ask for a bundle with `npm run …`, signed by the terminal. */
async function ask(
  url: string,
  { seed, address, agent, use }: Terminal,
  { bundle, command }: { bundle: string; command: readonly string[] },
) {
  const { publicKey } = generateKeyPair()
  const verifier = generatePollVerifier()
  const argv = ['npm', 'run', ...command]
  const rest = { workspace: undefined, templateKeys: [], argvMasked: undefined, agent, use }
  const signed = { clientPublicKey: publicKey, bundle, ...rest, argv, cwd: CWD }
  const made = await createAsClient(url, address, {
    client_pubkey: Buffer.from(publicKey).toString('base64'),
    bundle_id: bundle,
    format: 'sh',
    meta: { hostname: 'sams-laptop', user: 'sam', command: argv.join(' '), ...(agent ? { agent } : {}) },
    ...(use ? { use } : {}),
    argv,
    cwd: CWD,
    release: ['loopback', 'code'],
    poll_challenge: pollChallenge(verifier),
    device: signDeviceRequest(seed, signed, new Date().toISOString()),
  })
  return { id: made.id, path: made.verification_uri_complete, verifier }
}

type Asking = { url: string; headers: Readonly<Record<string, string>>; idOf: (name: string) => string }

async function approve(
  { url, headers, idOf }: Asking,
  request_id: string,
  bundle: string,
  more: { release?: 'loopback'; remember_hours?: number; remember_for?: 'task' },
) {
  const keys = LIBRARY.find(({ name }) => name === bundle)?.keys ?? []
  return await createClient(url)('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
    params: { request_id },
    headers,
    body: { bundle_id: idOf(bundle), include_keys: keys.map(({ name }) => name), ...more },
  })
}

type Remembered = { remember_hours: number } | { remember_for: 'task' }

async function remember(
  asking: Asking,
  command: readonly string[],
  from = terminal(),
  how: Remembered = { remember_hours: 8 },
): Promise<void> {
  const { id, verifier } = await ask(asking.url, from, { bundle: REMEMBERED, command })
  const { release } = await approve(asking, id, REMEMBERED, { release: 'loopback', ...how })
  await createClient(asking.url)('POST', '/api/v1/requests/{request_id}/release', {
    params: { request_id: id },
    headers: { 'x-poll-verifier': verifier },
    body: { secret: release?.by === 'loopback' ? release.secret : '' },
  })
}

async function leave(url: string, request_id: string, verifier: string): Promise<void> {
  const path = `/api/v1/requests/${request_id}/withdraw?leave=1`
  await fetch(url + path, { method: 'POST', headers: { 'x-poll-verifier': verifier } })
}

async function unreached(page: Page, address: string): Promise<void> {
  const failed = page.waitForEvent('requestfailed', (sent) => sent.method() === 'POST')
  await page.getByRole('button', { name: /^Approve|: approve/ }).click()
  await failed
  await page.waitForURL(/^chrome-error:/)
  await page.goto(address)
  await page
    .getByRole('heading', { name: 'Your browser could not reach the program' })
    .waitFor({ timeout: UNREACHED_WITHIN_MS })
}

const scrollTo = (name: string) => async (page: Page) =>
  await page.getByRole('heading', { name }).scrollIntoViewIfNeeded()

/** A second person in the owner's workspace. */
export async function joined(url: string, headers: Readonly<Record<string, string>>): Promise<SessionCookie> {
  const { token } = await createClient(url)('POST', '/api/v1/invitations', {
    headers,
    body: { email: 'kim@example.com', role: 'member' },
  })
  const answer = await fetch(`${url}/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ token, password: PASSWORD }),
  })
  const [pair = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  const at = pair.indexOf('=')
  if (at < 1) throw new Error(`/sign-up answered ${answer.status} without a session`)
  return { name: pair.slice(0, at), value: pair.slice(at + 1) }
}
