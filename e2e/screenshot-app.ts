import type { Page } from 'playwright-core'
import { QUESTIONS } from '../web/app/features/rules/rule-words.ts'
import { createLibrary } from './app-library.ts'
import { pickFromMenu } from './app-page.ts'
import { ruleWord } from './rules-page.ts'
import { at, press, type Shot, type World } from './shot.ts'
import { startServer } from './start-server.ts'

const ENV_TEXT = `DATABASE_URL=postgres://shop:pw@db.example/shop
LOG_LEVEL=debug
PORT=3000
this line says nothing
NEW_API_TOKEN=abc123 
PUBLIC_URL=https://shop.example
`

const RULES = Object.values(QUESTIONS).map(({ label }) => label)

/** The pages of bundles, keys and imports. */
export async function appShots(): Promise<World> {
  const server = await startServer()
  return { list: libraryShots(server.url, await createLibrary(server.url)), servers: [server] }
}

/** The same pages without a library. */
export async function emptyShots(): Promise<World> {
  const server = await startServer()
  const list = [
    { name: 'bundles-empty', show: at(`${server.url}/`) },
    { name: 'keys-empty', show: at(`${server.url}/?show=unused`) },
  ]
  return { list, servers: [server] }
}

const select =
  (...names: string[]) =>
  async (page: Page) => {
    for (const name of names)
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).press('Space')
    await page.getByRole('button', { name: 'Clear' }).waitFor()
  }

function libraryShots(url: string, ids: Awaited<ReturnType<typeof createLibrary>>): Shot[] {
  const bundle = `${url}/bundles/${ids.bundles.get('dev/app')}`
  const key = `${url}/keys/${ids.keys.get('DATABASE_URL')}`
  return [
    { name: 'bundles', show: at(`${url}/`) },
    { name: 'bundles-search', show: at(`${url}/?query=app`) },
    { name: 'bundles-new', show: at(`${url}/`, press(/^New$/)) },
    {
      name: 'bundle-duplicate',
      show: at(bundle, async (page) => {
        await pickFromMenu(page, 'dev/app', 'Duplicate')
        await page.getByLabel('What to do with DATABASE_URL').selectOption('own')
      }),
    },
    { name: 'rules', show: at(`${url}/rules`) },
    {
      name: 'rules-choice',
      show: at(`${url}/rules`, (page) =>
        ruleWord(page, { label: QUESTIONS.who.label, place: 'prod/shop/' }).click(),
      ),
    },
    ...RULES.map((label) => ({
      name: `rules-${label.toLowerCase().replaceAll(' ', '-')}`,
      show: at(`${url}/rules`, (page) => ruleWord(page, { label, place: 'all bundles' }).click()),
    })),
    { name: 'rules-place', show: at(`${url}/rules`, press('Bundle or folder')) },
    { name: 'application', show: at(`${url}/apps/dev/app`) },
    { name: 'application-filtered', show: at(`${url}/apps/dev/app?query=no-such-variable`) },
    { name: 'bundle-menu', show: at(bundle, press(/^More for dev\/app$/)) },
    {
      name: 'entry-menu',
      show: at(bundle, async (page) => {
        await press(/^STRIPE_SECRET_KEY$/)(page)
        await press(/^More for STRIPE_SECRET_KEY in dev\/app$/)(page)
      }),
    },
    { name: 'bundle-edit', show: at(bundle, (page) => pickFromMenu(page, 'dev/app', 'Edit')) },
    { name: 'application-open', show: at(`${url}/apps/dev/app`, press(/^STRIPE_SECRET_KEY$/)) },
    {
      name: 'application-edit',
      show: at(`${url}/apps/dev/app`, async (page) => {
        await page.getByRole('button', { name: /^LOG_LEVEL in dev: / }).click()
        await page.getByRole('textbox', { name: 'Value of LOG_LEVEL in dev/app' }).fill('debug')
      }),
    },
    {
      name: 'application-copy',
      show: at(`${url}/apps/dev/app`, async (page) => {
        await select('PORT', 'SESSION_SECRET')(page)
        await press('Copy to prod/shop 2 missing')(page)
      }),
    },
    {
      name: 'bundle-add-variable',
      show: at(bundle, async (page) => {
        await press('Add variable')(page)
        await page.getByLabel('Name', { exact: true }).fill('STRIPE_SECRET_KEY')
        await page.getByLabel('Value in prod/shop/app').fill('https://prod.example')
        await page.getByText('exists in').waitFor()
      }),
    },
    { name: 'bundle-delete', show: at(bundle, (page) => pickFromMenu(page, 'dev/app', 'Delete')) },
    { name: 'bundle-unknown', show: at(`${url}/bundles/3f9a9d5e-4a0e-45f8-9a47-3d0c6e1c1a77`) },
    { name: 'import', show: at(`${url}/bundles/import`) },
    { name: 'move', show: at(`${url}/bundles/move`) },
    {
      name: 'import-preview',
      show: at(`${url}/bundles/import?bundle=dev/app`, async (page) => {
        await page.getByLabel('Content of the').fill(ENV_TEXT)
        await page.getByLabel('What to do with').first().waitFor()
        await page.getByRole('heading', { name: 'Preview' }).scrollIntoViewIfNeeded()
      }),
    },
    {
      name: 'keys-delete',
      show: at(bundle, async (page) => {
        await select('DATABASE_URL', 'LOG_LEVEL', 'REDIS_URL')(page)
        await press('Delete')(page)
        await page.getByText('This changes').waitFor()
      }),
    },
    { name: 'bundle-selected', show: at(bundle, select('DATABASE_URL', 'LOG_LEVEL')) },
    { name: 'key', show: at(key) },
    {
      name: 'key-changed',
      show: at(`${key}/change`, async (page) => await page.getByLabel('Value of').fill('postgres://x \n')),
    },
    { name: 'key-details', show: at(`${key}/details`) },
    { name: 'key-delete', show: at(key, (page) => pickFromMenu(page, 'DATABASE_URL', 'Delete')) },
    { name: 'key-menu', show: at(key, press(/^More for DATABASE_URL$/)) },
    { name: 'account', show: at(`${url}/settings`) },
    { name: 'members-one-user', show: at(`${url}/members`) },
    {
      name: 'palette',
      show: at(`${url}/`, async (page) => {
        await page.keyboard.press('Control+k')
        await page.getByRole('option', { name: 'Bring in' }).first().waitFor()
      }),
    },
    { name: 'not-found', show: at(`${url}/nowhere`) },
  ]
}
