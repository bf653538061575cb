import { createClient } from '@keyferry/contract/client'
import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Page } from 'playwright-core'
import { ACCOUNTS, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { askApproval, createLibrary, META, withdraw } from './app-library.ts'
import { openChoice, readRequest } from './app-page.ts'
import { at, press, type Shot, type World } from './shot.ts'
import { startServer } from './start-server.ts'

/** The approval page: of a library, without one, and where the code must be typed. */
export async function approvalShots(): Promise<World> {
  const env = { TRUST_PROXY: '127.0.0.1' }
  const [full, empty, typing] = await Promise.all([
    startServer({ env }),
    startServer({ env }),
    startServer({ env: { ...env, ...ACCOUNTS } }),
  ])
  const cookie = await setUpOwner(typing.url)
  const [{ bundles }] = await Promise.all([
    createLibrary(full.url),
    createLibrary(typing.url, undefined, sessionHeaders(typing.url, cookie)),
  ])
  // What dev/app shares with it is not delivered to AI agents.
  await createClient(full.url)('PUT', '/api/v1/bundles/{bundle_id}/policy', {
    params: { bundle_id: bundles.get('prod/shop/app') ?? '' },
    body: { agents: 'deny' },
  })
  const list = [
    ...libraryShots(full.url),
    { name: 'approval-nothing-yet', show: asked(empty.url, {}) },
    {
      name: 'approval-typed',
      show: async (page: Page) => {
        await page.context().addCookies([{ ...cookie, url: typing.url }])
        await asked(typing.url, { bundle: 'dev/app' })(page)
      },
    },
  ]
  return { list, servers: [full, empty, typing] }
}

function asked(url: string, asking: Parameters<typeof askApproval>[1], then?: (page: Page) => Promise<void>) {
  return async (page: Page) => {
    const { verification_uri_complete } = await askApproval(url, asking)
    await at(`${url}${verification_uri_complete}`, then)(page)
  }
}

function withdrawn(url: string) {
  return async (page: Page) => {
    const verifier = generatePollVerifier()
    const { id, verification_uri_complete } = await askApproval(url, { verifier })
    await withdraw(url, id, verifier)
    await at(`${url}${verification_uri_complete}`, showEnd('Withdrawn'))(page)
  }
}

const showEnd = (title: string) => async (page: Page) =>
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()

function libraryShots(url: string): Shot[] {
  return [
    { name: 'approval', show: asked(url, { bundle: 'dev/app', address: '127.0.0.1' }, readRequest) },
    { name: 'approval-other-network', show: asked(url, { bundle: 'dev/app' }) },
    {
      name: 'approval-linked',
      show: async (page) => {
        const { verification_uri_complete } = await askApproval(url, { bundle: 'dev/app' })
        await at(`${url}${verification_uri_complete}?from=link`, async (opened) => {
          await readRequest(opened)
          await press(/^Approve|: approve/)(opened)
          await opened.getByRole('dialog').waitFor()
        })(page)
      },
    },
    {
      name: 'approval-other-bundle',
      show: asked(
        url,
        { bundle: 'dev/app', address: '127.0.0.1', flags: ['run', '--any-bundle'] },
        async (page) => {
          await openChoice(page)
          await page.getByRole('combobox').fill('prod/shop/mail')
          await page.getByRole('option', { name: 'prod/shop/mail' }).click()
          await page.getByText('but you chose').waitFor()
        },
      ),
    },
    {
      name: 'approval-covered',
      show: asked(url, { bundle: 'dev/app', meta: { ...META, agent: 'codex', reason: 'to test' } }, (page) =>
        page.getByRole('button', { name: 'Leave it out' }).scrollIntoViewIfNeeded(),
      ),
    },
    {
      name: 'approval-template',
      show: asked(url, { bundle: 'dev/app', keys: ['PORT', 'REDIS_URL', 'AWS_KEY'] }),
    },
    {
      name: 'approval-no-suggestion',
      show: asked(url, {}, async (page) => await page.getByRole('combobox').click()),
    },
    { name: 'approval-unknown-suggestion', show: asked(url, { bundle: 'qa/app' }) },
    {
      name: 'approval-approved',
      show: asked(url, { bundle: 'dev/app' }, async (page) => {
        await readRequest(page)
        await press(/^Approve|: approve/)(page)
        await showEnd('Approved')(page)
      }),
    },
    {
      name: 'approval-denied',
      show: asked(url, {}, async (page) => {
        await readRequest(page)
        await press('Deny')(page)
        await showEnd('Denied')(page)
      }),
    },
    { name: 'approval-withdrawn', show: withdrawn(url) },
    { name: 'approval-unknown', show: at(`${url}/approve/00000000000000000000000000000000`) },
    {
      name: 'approval-unreachable',
      show: async (page) => {
        await page.route('**/api/**', (route) => route.abort())
        await asked(url, {})(page)
      },
    },
  ]
}
