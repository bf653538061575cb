import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { closePage, expectAccessible, openPage } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { commandsOf, ROOT } from './documents.ts'
import { SERVER_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { hasTerminal, inTerminal } from './terminal.ts'

const SECRET = 'planted-password'

let local: RunningServer
let team: RunningServer
let folder: string

beforeAll(async () => {
  local = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'keyferry-move-'))
  await fill(local.url)
})

beforeEach(async () => {
  await team?.dispose()
  team = await startServer()
})

afterAll(async () => {
  await Promise.all([local?.dispose(), team?.dispose()])
  if (folder !== undefined) rmSync(folder, { recursive: true })
})

type Key = Record<string, unknown> & { name: string; value: string }

async function key(url: string, body: Key): Promise<string> {
  return (await createClient(url)('POST', '/api/v1/keys', { body })).id
}

async function bundle(url: string, body: { name: string; description?: string; tags?: string }) {
  return (await createClient(url)('POST', '/api/v1/bundles', { body })).id
}

async function attach(
  url: string,
  [bundle_id, key_id]: readonly [string, string],
  body: object,
): Promise<void> {
  const params = { bundle_id, key_id }
  await createClient(url)('POST', '/api/v1/bundles/{bundle_id}/keys/{key_id}', { params, body })
}

/** A library with what a move must keep: a shared key, another delivered name, an order, a template, marks, texts. */
async function fill(url: string): Promise<void> {
  const host = await key(url, { name: 'DB_HOST', value: 'db', is_secret: false, description: 'the database' })
  const password = await key(url, { name: 'PASSWORD', value: SECRET, expires_at: '2031-01-31T12:00:00.000Z' })
  const address = await key(url, {
    name: 'URL',
    value: 'pg://${DB_HOST}',
    is_template: true,
    is_secret: false,
  })
  await key(url, { name: 'UNUSED', value: 'u', is_secret: false })
  const dev = await bundle(url, { name: 'dev/app', description: 'on a laptop', tags: 'dev,app' })
  const prod = await bundle(url, { name: 'prod/app' })
  await attach(url, [dev, address], {})
  await attach(url, [dev, host], { required: true })
  await attach(url, [dev, password], { as: 'DB_PASSWORD' })
  await attach(url, [prod, host], {})
}

type Exported = { status: number | null; stdout: string; stderr: string }

const exported = (...words: string[]): Exported => exportedFrom(local, words)

function exportedFrom({ dataDir }: RunningServer, words: readonly string[]): Exported {
  const env = { PATH: process.env['PATH'], HOME: folder, DATA_DIR: dataDir }
  return spawnSync(process.execPath, [SERVER_PROGRAM, 'export-library', ...words], { env, encoding: 'utf8' })
}

type Moving = { to?: RunningServer; dry_run?: boolean; plan_id?: string }

async function move(library: string, { to = team, ...more }: Moving = {}) {
  return createClient(to.url)('POST', '/api/v1/library-moves', {
    body: { library: JSON.parse(library), ...more },
  })
}

/** Everything of a library that a move keeps. */
async function contentOf(url: string) {
  const call = createClient(url)
  const bundles = await call('GET', '/api/v1/bundles')
  const whole = bundles.map(async ({ id, name, description, tags }) => {
    const { items } = await call('GET', '/api/v1/bundles/{bundle_id}', { params: { bundle_id: id } })
    const params = { bundle_id: id }
    const values = await call('GET', '/api/v1/bundles/{bundle_id}/export', {
      params,
      query: { format: 'json' },
    })
    const entries = items.map((item) => ({
      name: item.name,
      secret: item.is_secret,
      required: item.required,
    }))
    return { name, description, tags, entries, values }
  })
  const keys = (await call('GET', '/api/v1/keys')).map((each) => ({
    name: each.name,
    value: each.value,
    is_secret: each.is_secret,
    description: each.description,
    expires_at: each.expires_at,
    rotate_after_days: each.rotate_after_days,
    changed_at: each.value_changed_elsewhere_at ?? each.value_set_at,
    used: each.used_in_bundles,
  }))
  return { bundles: await Promise.all(whole), keys }
}

test('a library arrives whole, and the file contains no value', async () => {
  const { status, stdout, stderr } = exported(team.url)
  const next = `Next: an owner of a workspace opens ${team.url}/bundles/move and chooses the file.`
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining(next) })
  expect(stderr).toContain('Exported 2 bundles and 4 keys.')
  expect(stdout).not.toContain(SECRET)
  expect(Buffer.from(JSON.parse(stdout).box_base64, 'base64').toString('latin1')).not.toContain('PASSWORD')
  const plan = await move(stdout, { dry_run: true })
  expect((await contentOf(team.url)).keys).toEqual([])
  await move(stdout, { plan_id: plan.plan_id })
  expect(await contentOf(team.url)).toEqual(await contentOf(local.url))
})

test('what exists stays as it is, and an equal key is shared', async () => {
  await key(team.url, { name: 'PASSWORD', value: 'of the team', is_secret: false })
  await key(team.url, { name: 'DB_HOST', value: 'db', is_secret: false })
  await bundle(team.url, { name: 'prod/app', description: 'of the team' })
  const { bundles, keys } = await move(exported(team.url).stdout)
  expect(bundles).toMatchObject([
    { name: 'dev/app', action: 'create', key_count: 3 },
    { name: 'prod/app', action: 'left_out', key_count: 1, bundle_id: null },
  ])
  expect(keys).toEqual([
    { name: 'DB_HOST', action: 'share', key_name: 'DB_HOST', is_secret: false },
    { name: 'PASSWORD', action: 'rename', key_name: 'DEV_APP_DB_PASSWORD', is_secret: true },
    { name: 'UNUSED', action: 'create', key_name: 'UNUSED', is_secret: false },
    { name: 'URL', action: 'create', key_name: 'URL', is_secret: false },
  ])
  const after = await contentOf(team.url)
  expect(after.keys.find(({ name }) => name === 'PASSWORD')?.value).toBe('of the team')
  expect(after.bundles).toMatchObject([
    { name: 'dev/app', entries: [{ name: 'URL' }, { name: 'DB_HOST' }, { name: 'DB_PASSWORD' }] },
    { name: 'prod/app', description: 'of the team', entries: [] },
  ])
  const again = await move(exported(team.url).stdout)
  expect([...again.bundles, ...again.keys].map(({ action }) => action)).not.toContain('create')
})

test('the commands of docs/migrate.md write files, and keys of bundles that arrive in parts are still shared', async () => {
  const lines = commandsOf('docs/migrate.md').filter((line) => line.startsWith('keyferry-server '))
  const here = lines.map((line) => line.replace('https://keyferry.example.com', team.url))
  const env = { PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`, DATA_DIR: local.dataDir }
  const script = here.join(' && ').replace(' dev/web', '')
  expect(spawnSync('sh', ['-c', script], { cwd: folder, env }).status).toBe(0)
  for (const name of ['dev.json', 'prod.json']) await move(readFileSync(join(folder, name), 'utf8'))
  const { keys } = await contentOf(team.url)
  expect(keys.map(({ name, used }) => [name, used])).toEqual([
    ['DB_HOST', 2],
    ['PASSWORD', 1],
    ['URL', 1],
  ])
})

test('a value that moves twice keeps its age', async () => {
  await move(exported(team.url).stdout)
  const third = await startServer()
  try {
    await move(exportedFrom(team, [third.url]).stdout, { to: third })
    expect(await contentOf(third.url)).toEqual(await contentOf(local.url))
  } finally {
    await third.dispose()
  }
})

test('a plan that is out of date, a changed file and the file of another server move nothing', async () => {
  const { stdout } = exported(team.url)
  const { plan_id } = await move(stdout, { dry_run: true })
  await bundle(team.url, { name: 'dev/app' })
  await expect(move(stdout, { plan_id })).rejects.toMatchObject({ status: 409, code: 'plan_changed' })
  const sealed = JSON.parse(stdout)
  const changed = `${sealed.box_base64.slice(0, -8)}AAAA${sealed.box_base64.slice(-4)}`
  for (const library of [exported(local.url).stdout, JSON.stringify({ ...sealed, box_base64: changed })])
    await expect(move(library)).rejects.toMatchObject({ status: 400 })
  expect((await contentOf(team.url)).keys).toEqual([])
})

test('a wrong server or bundle is named, and nothing is written', () => {
  expect(exported('http://example.com')).toMatchObject({ status: 1, stdout: '' })
  expect(exported('http://example.com').stderr).toContain('http://example.com is not https')
  expect(exported('http://127.0.0.1:1').stderr).toContain('cannot reach http://127.0.0.1:1: ')
  expect(exported(team.url.replace('http://', ''), 'dev/app').status).toBe(0)
  expect(exported(team.url, 'dev/none').stderr).toContain('the bundle "dev/none" does not exist')
  expect(exported()).toMatchObject({ status: 2 })
})

test.skipIf(!hasTerminal())('a terminal gets no file, and the command that writes one', async () => {
  const env = { PATH: process.env['PATH'], DATA_DIR: local.dataDir }
  const terminal = inTerminal([process.execPath, SERVER_PROGRAM, 'export-library', team.url, 'dev/app'], {
    env,
  })
  expect(await terminal.exit).toBe(1)
  const shown = terminal.output().replaceAll(/\s+/g, ' ')
  expect(shown).toContain(`keyferry-server export-library ${team.url} dev/app > library.json`)
})

test.skipIf(!hasBrowser())('an owner reads the plan on a page and moves the library', async () => {
  await bundle(team.url, { name: 'prod/app' })
  const file = join(folder, 'library.json')
  writeFileSync(file, exported(team.url).stdout)
  const browser = await sharedBrowser()
  try {
    const page = await openPage(browser)
    await page.goto(`${team.url}/bundles/move`)
    await page.getByLabel('File to import').setInputFiles(join(ROOT, 'package.json'))
    await page.getByText('This is not a complete file of').waitFor()
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByText('prod/app', { exact: true }).waitFor()
    await page.getByText('1 variable, exists here: left out').waitFor()
    await page.getByText(/^Not secret: \d variables?$/).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Move 1 bundle and 4 variables' }).click()
    await page.getByRole('heading', { name: 'Moved' }).waitFor()
    await page.getByText('keyferry run dev/app').waitFor()
    await page.goto(`${team.url}/bundles/move`)
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByText('Nothing arrives').waitFor()
    await page.goto(team.url)
    await page.getByRole('link', { name: /^dev\/app: / }).click()
    await page.getByRole('button', { name: 'DB_PASSWORD', exact: true }).click()
    await page.getByRole('link', { name: 'History and holders' }).click()
    await page
      .getByText(/moved here by .*; last changed on the other server .*, according to the file/)
      .waitFor()
    await page.getByTitle(/^Moved here by /).waitFor()
    await expectAccessible(page)
    await closePage(page)
  } finally {
    await closePages(browser)
  }
  expect((await contentOf(team.url)).bundles.map(({ entries }) => entries.length)).toEqual([3, 0])
})
