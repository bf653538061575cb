import { createClient } from '@keyferry/contract/client'
import { askApproval, createLibrary } from './app-library.ts'
import { openKeys } from './app-page.ts'
import { at, type Shot, type World } from './shot.ts'
import { startServer } from './start-server.ts'

const STAGES = 20
const open = (name: string, value: string) => ({ name, value, is_secret: false })
const secret = (name: string) => ({ name, value: `planted-${name}`, is_secret: true })

/** Pages of a library with many environments, own values and composed values. */
export async function environmentShots(): Promise<World> {
  const server = await startServer({ env: { TRUST_PROXY: '127.0.0.1' } })
  const names = Array.from({ length: STAGES }, (_, index) => `stage-${index + 1}/shop-frontend`)
  const ids = await createLibrary(server.url, [
    {
      name: 'dev/shop',
      keys: [secret('DB_PASSWORD'), open('DB_HOST', 'localhost'), open('LOG_LEVEL', 'debug')],
    },
    { name: 'prod/shop', keys: [open('LOG_LEVEL', 'debug'), open('REGION', 'eu-central-1')] },
    ...names.map((name, index) => ({
      name,
      keys: [
        open('LOG_LEVEL', 'debug'),
        ...(index % 3 === 0 ? [] : [secret('SHOP_PAYMENT_PROVIDER_WEBHOOK_SECRET')]),
      ],
    })),
  ])
  await addOwnAndComposed(server.url, ids)
  const bundle = (name: string) => `${server.url}/bundles/${ids.bundles.get(name)}`
  const [composed] = await createClient(server.url)('GET', '/api/v1/keys', {
    query: { query: 'DATABASE_URL' },
  })
  const [first = '', ...others] = names
  const all = others.map((name) => `with=${name}`).join('&')
  const list: Shot[] = [
    { name: 'application-20', show: at(`${server.url}/apps/${first}?${all}`) },
    { name: 'application-composed', show: at(`${server.url}/apps/dev/shop`) },
    { name: 'bundle-composed', show: at(bundle('dev/shop')) },
    { name: 'bundle-duplicated', show: at(`${bundle('prod/shop')}?new=1`) },
    { name: 'bundle-own-and-lacking', show: at(bundle('prod/shop')) },
    { name: 'key-composed', show: at(`${server.url}/keys/${composed?.id}`) },
    { name: 'import-composed', show: importing(server.url) },
    { name: 'approval-composed', show: approving(server.url, 'dev/shop') },
    { name: 'approval-lacking', show: approving(server.url, 'prod/shop') },
  ]
  return { list, servers: [server] }
}

async function addOwnAndComposed(url: string, ids: Awaited<ReturnType<typeof createLibrary>>): Promise<void> {
  const call = createClient(url)
  const body = {
    name: 'DATABASE_URL',
    value: 'postgres://shop:${DB_PASSWORD|uri}@${DB_HOST}/shop',
    is_secret: false,
    is_template: true,
  }
  const { id } = await call('POST', '/api/v1/keys', { body })
  for (const name of ['dev/shop', 'prod/shop']) {
    const params = { bundle_id: ids.bundles.get(name) ?? '', key_id: id }
    await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params, body: {} })
  }
  const params = { bundle_id: ids.bundles.get('prod/shop') ?? '', key_id: ids.keys.get('LOG_LEVEL') ?? '' }
  const own = { value: 'warn' }
  await call('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}/split', { params, body: own })
}

const TEXT = 'DATABASE_URL=postgres://other\nLOG_LEVEL=error\nREGION=eu-west-1\nDB_HOST=db.prod\n'

function importing(url: string): Shot['show'] {
  return at(`${url}/bundles/import?bundle=prod/shop`, async (page) => {
    await page.getByLabel('Content of the').fill(TEXT)
    await page.getByText('Updated', { exact: true }).first().waitFor()
    await page.getByRole('heading', { name: 'Preview' }).scrollIntoViewIfNeeded()
  })
}

function approving(url: string, bundle: string): Shot['show'] {
  return async (page) => {
    const { verification_uri_complete } = await askApproval(url, { bundle })
    await at(`${url}${verification_uri_complete}`, async () => {
      await openKeys(page)
      await page
        .getByText(/Built from|Cannot be built/)
        .first()
        .scrollIntoViewIfNeeded()
    })(page)
  }
}
