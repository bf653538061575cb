import type { Page } from 'playwright-core'
import { readRequest } from './app-page.ts'
import { startBoundServer } from './bound-server.ts'
import { Attacker as Terminal } from './lure.ts'
import type { Shot, World } from './shot.ts'

/** The page of a request for names: of one bundle, of a mistyped one, and after the approval. */
export async function nameShots(): Promise<World> {
  const { server, cookie } = await startBoundServer()

  const asked = (bundle: string, after?: (page: Page) => Promise<void>) => async (page: Page) => {
    const request = await new Terminal(server.url).askForNames(bundle)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(server.url + request.path)
    await page.getByRole('heading', { name: /^List/ }).waitFor()
    await after?.(page)
  }

  const list: Shot[] = [
    { name: 'names-one-bundle', show: asked('dev/app') },
    { name: 'names-mistyped', show: asked('dev/ap') },
    { name: 'names-code', show: asked('dev/app', approve) },
  ]
  return { list, servers: [server] }
}

async function approve(page: Page): Promise<void> {
  await readRequest(page)
  await page.getByRole('button', { name: /^List \d+ names/ }).click()
  await page.getByText(/^\d{3} \d{3}$/).waitFor()
}
