import type { Page } from 'playwright-core'
import { ACCOUNTS, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { readRequest } from './app-page.ts'
import { Attacker as Terminal } from './lure.ts'
import type { Shot, World } from './shot.ts'
import { startServer } from './start-server.ts'

/** The page of a request for names: of one bundle, of a mistyped one, of all bundles, and after the approval. */
export async function nameShots(): Promise<World> {
  const server = await startServer({
    env: { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1', APPROVAL_ASSURANCE: 'bound' },
  })
  const cookie = await setUpOwner(server.url)
  await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))

  const asked = (bundle: string | null, after?: (page: Page) => Promise<void>) => async (page: Page) => {
    const request = await new Terminal(server.url).askForNames(bundle)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + request.path)
    await page.getByRole('heading', { level: 1, name: /^List/ }).waitFor()
    await page.getByText('What to list').waitFor()
    await after?.(page)
  }

  const list: Shot[] = [
    { name: 'names-one-bundle', show: asked('dev/app') },
    { name: 'names-mistyped', show: asked('dev/ap') },
    { name: 'names-bundles', show: asked(null) },
    { name: 'names-code', show: asked('dev/app', approve) },
  ]
  return { list, servers: [server] }
}

async function approve(page: Page): Promise<void> {
  await readRequest(page)
  await page.getByRole('button', { name: /^List \d+ names of/ }).click()
  await page.getByText(/^\d{3} \d{3}$/).waitFor()
}
