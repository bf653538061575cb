import { generatePollVerifier } from '@keyferry/crypto/poll-challenge'
import type { Page } from 'playwright-core'
import { askApproval, createLibrary, withdraw } from './app-library.ts'
import { readRequest } from './app-page.ts'
import { consentShots } from './screenshot-consent.ts'
import { environmentShots } from './screenshot-environments.ts'
import { machineShots } from './screenshot-machines.ts'
import { memoryShots } from './screenshot-memory.ts'
import { passkeyShots } from './screenshot-passkeys.ts'
import { peopleShots } from './screenshot-people.ts'
import { returnShots } from './screenshot-returns.ts'
import { webhookShots } from './screenshot-webhooks.ts'
import { workspaceShots } from './screenshot-workspaces.ts'
import { at, type Shot } from './shot.ts'
import { startServer } from './start-server.ts'

const ENV_TEXT = `DATABASE_URL=postgres://shop:pw@db.example/shop
LOG_LEVEL=debug
PORT=3000
this line says nothing
NEW_API_TOKEN=abc123 
PUBLIC_URL=https://shop.example
`

/** Every page and state worth looking at, on real servers: one with a library, an empty one, one that wants codes typed. */
export async function shots(): Promise<{ list: readonly Shot[]; close: () => Promise<void> }> {
  const env = { TRUST_PROXY: '127.0.0.1' }
  const [full, empty, typing] = await Promise.all([
    startServer({ env }),
    startServer({ env }),
    startServer({ env: { ...env, APPROVAL_ASSURANCE: 'typed' } }),
  ])
  const people = await peopleShots()
  const memory = await memoryShots()
  const passkeys = await passkeyShots()
  const environments = await environmentShots()
  const workspaces = await workspaceShots()
  const consent = await consentShots()
  const returns = await returnShots()
  const machines = await machineShots()
  const webhooks = await webhookShots()
  const ids = await createLibrary(full.url)
  await createLibrary(typing.url)
  const list = [
    ...appShots(full.url, ids),
    { name: 'bundles-empty', show: at(`${empty.url}/`) },
    { name: 'keys-empty', show: at(`${empty.url}/keys`) },
    ...approvalShots(full.url),
    ...people.list,
    ...memory.list,
    ...passkeys.list,
    ...environments.list,
    ...workspaces.list,
    ...consent.list,
    ...returns.list,
    ...machines.list,
    ...webhooks.list,
    { name: 'approval-nothing-yet', show: asked(empty.url, {}) },
    { name: 'approval-typed', show: asked(typing.url, { bundle: 'dev/app' }) },
  ]
  const alone = [memory, passkeys, environments, workspaces, consent, returns, machines, webhooks].map(
    ({ server }) => server,
  )
  const servers = [full, empty, typing, ...alone, ...people.servers]
  return { list, close: async () => void (await Promise.all(servers.map((server) => server.dispose()))) }
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

const press = (name: RegExp | string) => async (page: Page) =>
  await page.getByRole('button', { name }).click()

const select =
  (...names: string[]) =>
  async (page: Page) => {
    for (const name of names)
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
    await page.getByRole('button', { name: 'Clear' }).waitFor()
  }

function appShots(url: string, ids: Awaited<ReturnType<typeof createLibrary>>): Shot[] {
  const bundle = `${url}/bundles/${ids.bundles.get('dev/app')}`
  const key = `${url}/keys/${ids.keys.get('DATABASE_URL')}`
  return [
    { name: 'bundles', show: at(`${url}/`) },
    { name: 'bundles-search', show: at(`${url}/bundles?query=app`) },
    { name: 'bundles-new', show: at(`${url}/bundles`, press('New bundle')) },
    { name: 'bundle', show: at(bundle) },
    { name: 'bundle-entry', show: at(bundle, press('Change DATABASE_URL in this bundle')) },
    {
      name: 'bundle-own-value',
      show: at(bundle, async (page) => {
        await press('Change DATABASE_URL in this bundle')(page)
        await press(/^Give this bundle its own value/)(page)
      }),
    },
    {
      name: 'bundle-duplicate',
      show: at(bundle, async (page) => {
        await press('Duplicate')(page)
        await page.getByRole('checkbox', { name: 'DATABASE_URL shared' }).check()
      }),
    },
    { name: 'compare', show: at(`${url}/compare?bundle=dev/app&bundle=dev/worker&bundle=prod/shop/app`) },
    {
      name: 'compare-missing',
      show: at(`${url}/compare?bundle=dev/app&bundle=dev/worker`, press('Missing: PORT in dev/worker')),
    },
    { name: 'bundle-attach', show: at(bundle, press('Attach keys')) },
    { name: 'bundle-export', show: at(bundle, press('Export')) },
    { name: 'bundle-delete', show: at(bundle, press('Delete')) },
    { name: 'bundle-unknown', show: at(`${url}/bundles/3f9a9d5e-4a0e-45f8-9a47-3d0c6e1c1a77`) },
    { name: 'import', show: at(`${url}/bundles/import`) },
    { name: 'move', show: at(`${url}/bundles/move`) },
    {
      name: 'import-preview',
      show: at(`${url}/bundles/import?bundle=dev/app`, async (page) => {
        await page.getByLabel('Content of the').fill(ENV_TEXT)
        await page.getByText('Own', { exact: true }).first().waitFor()
        await page.getByRole('heading', { name: 'Preview' }).scrollIntoViewIfNeeded()
      }),
    },
    { name: 'keys', show: at(`${url}/keys`) },
    { name: 'keys-selected', show: at(`${url}/keys`, select('DATABASE_URL', 'LOG_LEVEL', 'REDIS_URL')) },
    {
      name: 'keys-delete',
      show: at(`${url}/keys`, async (page) => {
        await select('DATABASE_URL', 'LOG_LEVEL', 'REDIS_URL')(page)
        await press('Delete')(page)
        await page.getByText('This changes').waitFor()
      }),
    },
    {
      name: 'keys-attach',
      show: at(`${url}/keys`, async (page) => {
        await select('DATABASE_URL', 'PORT')(page)
        await press('Attach')(page)
        await page.getByRole('combobox', { name: 'Bundle' }).click()
      }),
    },
    { name: 'bundle-selected', show: at(bundle, select('DATABASE_URL', 'LOG_LEVEL')) },
    { name: 'key-new', show: at(`${url}/keys/new`) },
    { name: 'key', show: at(key) },
    {
      name: 'key-changed',
      show: at(key, async (page) => await page.getByLabel('New value').fill('postgres://x \n')),
    },
    {
      name: 'key-reach',
      show: at(`${key}?bundle=${ids.bundles.get('dev/app')}`, async (page) => {
        await page.getByLabel('New value').fill('postgres://x')
        await press('Save changes')(page)
      }),
    },
    { name: 'key-delete', show: at(key, press('Delete')) },
    { name: 'account', show: at(`${url}/account`) },
    { name: 'members-one-user', show: at(`${url}/members`) },
    {
      name: 'palette',
      show: at(`${url}/`, async (page) => {
        await page.keyboard.press('Control+k')
        await page.getByRole('option', { name: 'Import' }).waitFor()
      }),
    },
    { name: 'not-found', show: at(`${url}/nowhere`) },
  ]
}

const showEnd = (title: string) => async (page: Page) =>
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()

function approvalShots(url: string): Shot[] {
  return [
    { name: 'approval', show: asked(url, { bundle: 'dev/app', address: '127.0.0.1' }, readRequest) },
    { name: 'approval-other-network', show: asked(url, { bundle: 'dev/app' }) },
    {
      name: 'approval-linked',
      show: async (page) => {
        const { verification_uri_complete } = await askApproval(url, { bundle: 'dev/app' })
        await at(`${url}${verification_uri_complete}?from=link`, async (opened) => {
          await readRequest(opened)
          await press(/^Approve/)(opened)
          await opened.getByRole('dialog').waitFor()
        })(page)
      },
    },
    {
      name: 'approval-other-bundle',
      show: asked(url, { bundle: 'dev/app', address: '127.0.0.1' }, async (page) => {
        await page.getByRole('combobox').fill('prod/shop/mail')
        await page.getByRole('option', { name: 'prod/shop/mail' }).click()
        await page.getByText('but you chose').waitFor()
      }),
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
        await press(/^Approve/)(page)
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
