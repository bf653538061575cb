import { createClient, type EndpointClient } from '@keyferry/contract/client'
import type { Page } from 'playwright-core'
import { type Asking, askApproval, createLibrary } from './app-library.ts'
import { readRequest } from './app-page.ts'
import { at, type World } from './shot.ts'
import { startServer } from './start-server.ts'

const NAMED = 'Acme'

/** The approval page of a person with three workspaces: two have the bundle that terminals ask for, one has none. */
export async function workspaceShots(): Promise<World> {
  const server = await startServer({ env: { TRUST_PROXY: '127.0.0.1' } })
  const call: EndpointClient = createClient(server.url)
  await createLibrary(server.url)
  const { id } = await call('POST', '/api/v1/tenants', { body: { name: NAMED } })
  await createLibrary(server.url, undefined, { 'keyferry-workspace': id })
  await call('POST', '/api/v1/tenants', { body: { name: 'Shop of a customer with a rather long name' } })
  const asked = (asking: Asking, then?: (page: Page) => Promise<void>) => askedOn(server.url, asking, then)
  const named = { bundle: 'dev/app', workspace: NAMED }
  return {
    servers: [server],
    list: [
      { name: 'approval-workspaces', show: asked({ bundle: 'dev/app' }) },
      { name: 'approval-workspace-named', show: asked(named) },
      {
        name: 'approval-workspace-empty',
        show: asked({}, async (page) => {
          const option = page.getByRole('option', { name: /rather long/ })
          await page.getByLabel('Workspace').selectOption(await option.innerText())
          await page.getByText('has no bundles yet').waitFor()
        }),
      },
      {
        name: 'approval-workspace-approved',
        show: asked(named, async (page) => {
          await readRequest(page)
          await page.getByRole('button', { name: /^Approve|: approve/ }).click()
          await page.getByRole('heading', { name: 'Approved', level: 1 }).waitFor()
        }),
      },
    ],
  }
}

function askedOn(url: string, asking: Asking, then?: (page: Page) => Promise<void>) {
  return async (page: Page) => {
    const request = await askApproval(url, asking)
    await at(`${url}${request.verification_uri_complete}`, then)(page)
  }
}
