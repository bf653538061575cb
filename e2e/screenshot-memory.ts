import { createClient } from '@keyferry/contract/client'
import type { Page } from 'playwright-core'
import { createLibrary } from './app-library.ts'
import { deliver, makeOlder } from './app-memory.ts'
import { at, type Shot, type World } from './shot.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PLACES = [
  { hostname: 'sams-laptop', user: 'sam', command: 'npm run dev', via: 'run' },
  { hostname: 'build-7.ci.example.com', user: 'runner', command: 'node deploy.js', via: 'pull' },
  { hostname: 'kims-macbook', user: 'kim', command: 'docker compose up', via: 'run' },
  { hostname: 'staging-1', user: 'root', command: 'systemctl start shop', via: 'pull' },
  { hostname: 'lees-thinkpad', user: 'lee', command: 'psql', via: 'run' },
]

/** The pages that tell what happened, on a server where something did. */
export async function memoryShots(): Promise<World> {
  const server = await startServer({ env: { TRUST_PROXY: '127.0.0.1' } })
  const { keyId, publicId, bundleId } = await makeMemory(server)
  const { url } = server
  const list: Shot[] = [
    { name: 'home-due', show: at(`${url}/`) },
    { name: 'expiry', show: at(`${url}/expiry`) },
    { name: 'key', show: at(`${url}/keys/${keyId}`) },
    {
      name: 'key-change',
      show: at(`${url}/keys/${keyId}/change`, async (page) => {
        await page.getByRole('button', { name: 'Generate' }).click()
      }),
    },
    {
      name: 'key-compare',
      show: at(`${url}/keys/${publicId}`, async (page) => {
        await page.getByRole('button', { name: 'Compare' }).first().click()
      }),
    },
    {
      name: 'key-restore',
      show: at(`${url}/keys/${keyId}`, async (page) => {
        await page.getByRole('button', { name: 'Restore' }).first().click()
      }),
    },
    { name: 'key-lifetime', show: at(`${url}/keys/${publicId}`) },
    { name: 'bundle-memory', show: at(`${url}/bundles/${bundleId}`) },
    { name: 'bundle-activity', show: at(`${url}/bundles/${bundleId}/activity`, showActivity) },
    { name: 'key-activity', show: at(`${url}/keys/${keyId}/activity`, showActivity) },
    { name: 'activity', show: at(`${url}/activity`, showActivity) },
    { name: 'activity-steps', show: at(`${url}/activity?about=${bundleId}`, openSteps) },
    { name: 'activity-entries', show: at(`${url}/activity?view=entries`, showActivity) },
    {
      name: 'activity-check',
      show: at(`${url}/activity`, async (page) => {
        await page.getByRole('button', { name: 'Check it yourself' }).click()
        await page.getByText('audit verify').first().waitFor()
      }),
    },
    {
      name: 'delivery',
      show: at(`${url}/keys/${keyId}`, async (page) => {
        await page.getByRole('link', { name: 'its delivery' }).first().click()
        await page.getByRole('list', { name: 'Delivered values' }).waitFor()
      }),
    },
    { name: 'activity-nothing', show: at(`${url}/activity?from=2020-01-01&to=2020-01-02`) },
  ]
  return { list, servers: [server] }
}

async function makeMemory({ url, dataDir }: RunningServer) {
  const ids = await createLibrary(url)
  const idOf = (kind: 'keys' | 'bundles', name: string) => ids[kind].get(name) ?? ''
  const [bundleId, keyId, publicId] = [
    idOf('bundles', 'dev/app'),
    idOf('keys', 'DATABASE_URL'),
    idOf('keys', 'LOG_LEVEL'),
  ]
  const names = ['DATABASE_URL', 'REDIS_URL', 'LOG_LEVEL']
  const change = (key_id: string, body: object) =>
    createClient(url)('PUT', '/api/v1/keys/{key_id}', { params: { key_id }, body })
  await deliver(url, { bundleId, names, meta: PLACES[0] ?? {} })
  await deliver(url, { bundleId, names, meta: PLACES[1] ?? {} })
  await change(keyId, { value: 'planted-second' })
  for (const meta of PLACES.slice(2, 4)) await deliver(url, { bundleId, names, meta })
  await deliver(url, { bundleId, names, meta: PLACES[4] ?? {}, isCollected: false })
  await change(keyId, { value: 'planted-third' })
  await deliver(url, { bundleId, names, meta: PLACES[2] ?? {} })
  await change(publicId, { value: 'level: info\nformat: json\nsample: 0.1\n' })
  await change(publicId, { value: 'level: debug\nformat: json\ncolour: never\nsample: 0.1\n' })
  await change(publicId, { expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString() })
  await change(idOf('keys', 'NPM_TOKEN'), { expires_at: '2026-01-31T12:00:00Z' })
  makeOlder(dataDir, 'DATABASE_URL', 12)
  return { keyId, publicId, bundleId }
}

async function showActivity(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Steps/ })
    .first()
    .waitFor()
}

async function openSteps(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Steps: .* approved/ })
    .first()
    .click()
  await page.getByRole('list', { name: 'Steps' }).scrollIntoViewIfNeeded()
}
