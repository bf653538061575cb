import { createClient } from '@keyferry/contract/client'
import type { Page } from 'playwright-core'
import { createLibrary } from './app-library.ts'
import { at, type World } from './shot.ts'
import { startServer } from './start-server.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

/** The pages of webhooks: none, one that works, one that fails, and one that the server turned off. */
export async function webhookShots(): Promise<World> {
  const server = await startServer({ env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' } })
  const { bundles } = await createLibrary(server.url)
  const list = `${server.url}/settings/workspace`
  const one = `${server.url}/settings/webhooks`
  const works = await created(server.url, { status: 204, bundle_ids: [bundles.get('dev/app') ?? ''] })
  const fails = await created(server.url, { status: 500, bundle_ids: [] })
  const off = await created(server.url, { status: 410, bundle_ids: [] })
  return {
    servers: [server],
    list: [
      { name: 'webhooks', show: at(list) },
      { name: 'webhooks-empty', show: withoutWebhooks(list) },
      { name: 'webhook', show: at(`${one}/${works}`, opened) },
      { name: 'webhook-failing', show: at(`${one}/${fails}`) },
      { name: 'webhook-off', show: at(`${one}/${off}`) },
      { name: 'webhook-new', show: at(list, press('New webhook')) },
      { name: 'webhook-edit', show: at(`${one}/${works}`, press('Edit')) },
      { name: 'webhook-delete', show: at(`${one}/${works}`, press('Delete')) },
      { name: 'webhook-new-secret', show: at(`${one}/${works}`, press('New secret')) },
      {
        name: 'webhook-secret',
        show: at(`${one}/${works}`, async (page) => {
          await press('New secret')(page)
          await press('Create the new secret')(page)
          await page.getByLabel('Secret', { exact: true }).waitFor()
        }),
      },
    ],
  }
}

const press = (name: string) => async (page: Page) =>
  await page.getByRole('button', { name, exact: true }).click()

async function opened(page: Page): Promise<void> {
  await page.getByText('What was sent').first().click()
}

function withoutWebhooks(address: string) {
  return async (page: Page) => {
    await page.route('**/api/v1/webhooks?*', (route) => route.fulfill({ json: [] }))
    await at(address)(page)
  }
}

// One webhook whose receiver has answered a test with this status.
async function created(url: string, { status, bundle_ids }: { status: number; bundle_ids: string[] }) {
  const call = createClient(url)
  const receiver = new WebhookReceiver()
  receiver.status = status
  await receiver.start()
  const body = {
    url: receiver.url,
    description: 'restarts the shop',
    events: ['bundle.changed' as const],
    bundle_ids,
  }
  const { id } = await call('POST', '/api/v1/webhooks', { body })
  await call('POST', '/api/v1/webhooks/{webhook_id}/test', { params: { webhook_id: id } })
  const deadline = Date.now() + 5_000
  while (receiver.calls.length === 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 50))
  receiver.stop()
  return id
}
