import { createClient } from '@keyferry/contract/client'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Page } from 'playwright-core'
import { ACCOUNTS, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { type Asking, askApproval, createLibrary, META } from './app-library.ts'
import { readRequest, typeCheckCode } from './app-page.ts'
import { joined } from './screenshot-returns.ts'
import type { World } from './shot.ts'
import { startServer } from './start-server.ts'

const ARGV = ['npm', 'run', 'migrate', '--', '--to', '2026-03-01 add orders', '--token=***']
const AGENT = { ...META, agent: 'claude-code', reason: 'to check that the migration runs', via: 'run' }
const LURE = `#lb=9.${'A'.repeat(43)}`

/** The approval page on a server that others reach, and the pages of its rules. */
export async function consentShots(): Promise<World> {
  const server = await startServer({ env: { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1' } })
  const cookie = await setUpOwner(server.url)
  const headers = sessionHeaders(server.url, cookie)
  const { bundles } = await createLibrary(server.url, undefined, headers)
  const place = { url: server.url, headers }
  await joined(server.url, headers)
  await setRule(place, bundles.get('dev/worker') ?? '', { approvals_needed: 2 })
  await setRule(place, bundles.get('prod/shop/mail') ?? '', { assurance: 'local' })
  const open = async (page: Page, path: string) => {
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  const asked =
    (asking: Asking, then: (page: Page, code: string) => Promise<void> = async () => undefined, hash = '') =>
    async (page: Page) => {
      const verifier = generatePollVerifier()
      const both = { argv: ARGV, release: ['loopback', 'code'] as const, verifier }
      const request = await askApproval(server.url, { ...both, bundle: 'dev/app', ...asking })
      await open(page, request.verification_uri_complete + hash)
      await readRequest(page)
      await then(page, request.user_code)
    }
  const list = [
    { name: 'consent-loopback', show: asked({}, undefined, LURE) },
    { name: 'consent-agent', show: asked({ meta: AGENT, argv: ['bash', '-c', 'npm test; env'] }) },
    { name: 'consent-agent-pull', show: asked({ meta: { ...AGENT, via: 'pull' } }) },
    { name: 'consent-unbound', show: asked({ release: [] }) },
    { name: 'consent-refused', show: asked({ release: [], bundle: 'prod/shop/mail' }) },
    { name: 'consent-code', show: asked({}, approve('Type this code into your terminal')) },
    { name: 'consent-reloaded', show: asked({}, reloaded) },
    { name: 'consent-first-of-two', show: asked({ bundle: 'dev/worker', release: [] }, firstOfTwo) },
    {
      name: 'rules-bundle',
      show: (page: Page) => open(page, `/rules?bundle=${bundles.get('prod/shop/app')}`),
    },
    { name: 'rules-workspace', show: (page: Page) => open(page, '/rules') },
    { name: 'remembered-none', show: remembered(open) },
  ]
  return { list, servers: [server] }
}

const approve = (heading: string) => async (page: Page) => {
  await page.getByRole('button', { name: /^Approve|: approve/ }).click()
  await page.getByRole('heading', { name: heading }).waitFor()
}

async function reloaded(page: Page): Promise<void> {
  await approve('Type this code into your terminal')(page)
  await page.reload()
  await page.getByRole('heading', { name: 'Waiting for a code' }).waitFor()
}

async function firstOfTwo(page: Page, code: string): Promise<void> {
  await typeCheckCode(page, code)
  await approve('Approved by you, one person missing')(page)
}

function remembered(open: (page: Page, path: string) => Promise<void>) {
  return async (page: Page) => {
    await open(page, '/settings')
    await page.getByRole('heading', { name: 'Remembered approvals' }).scrollIntoViewIfNeeded()
  }
}

type Headers = Readonly<Record<string, string>>

type Change = { approvals_needed: 2 } | { assurance: 'local' }

async function setRule({ url, headers }: { url: string; headers: Headers }, bundle_id: string, body: Change) {
  await createClient(url)('PUT', '/api/v1/bundles/{bundle_id}/policy', {
    params: { bundle_id },
    headers,
    body,
  })
}
