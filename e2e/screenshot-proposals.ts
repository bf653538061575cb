import { createClient } from '@keyferry/contract/client'
import type { Page } from 'playwright-core'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { type Deposited, type Depositing, Depositor } from './depositor.ts'
import { joined } from './screenshot-returns.ts'
import { at, type Shot, type World } from './shot.ts'
import { startServer } from './start-server.ts'

const VALUES: Deposited = { STRIPE_SECRET_KEY: 'planted-new', LOG_LEVEL: ['debug', false] }

/** What a member proposes, and the list of what waits. */
export async function proposalShots(): Promise<World> {
  const server = await startServer({ env: { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1' } })
  const { url } = server
  const owner = await setUpOwner(url)
  const ofOwner = sessionHeaders(url, owner)
  await createLibrary(url, undefined, ofOwner)
  const member = await joined(url, ofOwner)
  const call = createClient(url)

  async function asked(bundle: string, values: Deposited, options: Depositing = {}) {
    const terminal = new Depositor(url)
    return { terminal, ...(await terminal.deposit(bundle, values, options)) }
  }
  async function propose(bundle: string, values: Deposited, options: Depositing = {}) {
    const { terminal, id } = await asked(bundle, values, options)
    const params = { request_id: id }
    const headers = sessionHeaders(url, member)
    const { plan_id } = await call('POST', '/api/v1/requests/{request_id}/deposit-plan', {
      params,
      headers,
      body: {},
    })
    const release = 'code' as const
    const body = { plan_id, release, propose: { readable: [] } }
    const held = await call('POST', '/api/v1/requests/{request_id}/deposit', { params, headers, body })
    if (held.release?.by === 'code') await terminal.release(id, held.release.code)
  }
  await propose('prod/shop/app', VALUES)
  await propose('dev/worker', {}, { detach: ['LOG_LEVEL'] })

  const as = (cookie: SessionCookie, show: (page: Page) => Promise<void>) => async (page: Page) => {
    await page.context().addCookies([{ ...cookie, url }])
    await show(page)
  }
  const reviewed = as(owner, async (page) => {
    await at(url)(page)
    await page.getByRole('link', { name: 'Review' }).last().click()
    await page.getByRole('list', { name: 'Variables' }).waitFor()
  })
  const list: Shot[] = [
    { name: 'proposal-waiting', show: as(owner, at(url)) },
    { name: 'proposal-review', show: reviewed },
    { name: 'proposal-own', show: as(member, at(url)) },
    {
      name: 'proposal-offer',
      show: as(member, async (page) => {
        const { path } = await asked('dev/worker', VALUES, { detach: ['REDIS_URL'] })
        await page.goto(url + path)
        await page.getByText('Propose it to the owners').waitFor()
      }),
    },
  ]
  return { list, servers: [server] }
}
