import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from '../app-accounts.ts'
import { createLibrary, LIBRARY } from '../app-library.ts'
import { Depositor } from '../depositor.ts'
import { createMachine, fetchAsMachine } from '../machine-calls.ts'
import { joined } from '../screenshot-returns.ts'
import { startServer } from '../start-server.ts'

const LONG = 'nightly-export-of-all-orders-to-the-warehouse-of-the-other-company'

const LONG_BUNDLE = {
  name: `batch/${LONG}`,
  description: `What ${LONG} needs, and what it leaves behind`,
  tags: `shop,${LONG}`,
  keys: [
    { name: `${LONG.replaceAll('-', '_').toUpperCase()}_URL`, value: 'https://a.example', is_secret: false },
  ],
}

export type World = Awaited<ReturnType<typeof createWorld>>

export type StartedWorld = Awaited<ReturnType<typeof startWorld>>

/** A server with a world, and a folder for what engines write. */
export async function startWorld() {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-pages-'))
  const server = await startServer({ env: { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1' } })
  const dispose = async () => {
    await server.dispose()
    await rm(folder, { recursive: true, force: true })
  }
  const world = await createWorld(server.url, await setUpOwner(server.url))
  return { folder, url: server.url, world, [Symbol.asyncDispose]: dispose }
}

/** A workspace with one of everything, some of it with names that are too long for a phone. */
export async function createWorld(url: string, cookie: SessionCookie) {
  const headers = sessionHeaders(url, cookie)
  const call = createClient(url, (input, init) =>
    fetch(input, { ...init, headers: Object.assign({}, init?.headers, headers) }),
  )
  const { bundles, keys } = await createLibrary(url, [...LIBRARY, LONG_BUNDLE], headers)
  await call('POST', '/api/v1/tenants', { body: { name: `The workspace of ${LONG}` } })
  await propose(url, await joined(url, headers))
  const [proposal] = await call('GET', '/api/v1/proposals', {})
  const { accept_path } = await call('POST', '/api/v1/invitations', {
    body: { email: 'robin-of-the-other-company@mail.warehouse.example.com', role: 'member' },
  })
  const bundleId = bundles.get('prod/shop/app') ?? ''
  const machine = await createMachine(url, { name: LONG, description: 'The nightly job', bundleId }, headers)
  const params = { machine_id: machine }
  const body = { expires_in_days: 7, networks: ['127.0.0.0/8', '10.20.0.0/16'] }
  const { token } = await call('POST', '/api/v1/machines/{machine_id}/tokens', { params, body })
  for (const bundle of ['prod/shop/app', 'dev/app']) await fetchAsMachine(url, { bundle, credential: token })
  const webhook = await call('POST', '/api/v1/webhooks', {
    body: {
      url: `https://hooks.example.com/${LONG}`,
      description: LONG,
      events: ['bundle.changed'],
      bundle_ids: [],
    },
  })
  const [delivery] = await call('GET', '/api/v1/deliveries', {})
  return {
    workspace: (await call('GET', '/api/v1/me', {})).tenant.id,
    ids: {
      key: keys.get('DATABASE_URL') ?? '',
      machine,
      webhook: webhook.id,
      proposal: proposal?.id ?? '',
      delivery: delivery?.id ?? '',
    },
    bundle: (name: string) => bundles.get(name) ?? '',
    invitation: accept_path,
    long: LONG,
  }
}

/** What a member of the workspace proposes. */
async function propose(url: string, member: SessionCookie): Promise<void> {
  const call = createClient(url)
  const headers = sessionHeaders(url, member)
  const terminal = new Depositor(url)
  const { id } = await terminal.deposit('prod/shop/app', { STRIPE_SECRET_KEY: 'planted-new' })
  const params = { request_id: id }
  const path = '/api/v1/requests/{request_id}/deposit-plan'
  const { plan_id } = await call('POST', path, { params, headers, body: {} })
  const release = 'code' as const
  const body = { plan_id, release, propose: { readable: [] } }
  const held = await call('POST', '/api/v1/requests/{request_id}/deposit', { params, headers, body })
  if (held.release?.by === 'code') await terminal.release(id, held.release.code)
}
