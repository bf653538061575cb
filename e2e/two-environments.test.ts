import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cellOf,
  closePage,
  openPage,
  openRow,
  pressArmed,
  readRequest,
  saveInAll,
  type WatchedPage,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { hasTerminal, inTerminal } from './terminal.ts'

const KEYFERRY = [process.execPath, CLIENT_PROGRAM]

// Half of the values differ. PORT is equal by chance, STRIPE_KEY is missing in dev.
const DEV = {
  DATABASE_URL: 'postgres://app:dev@localhost:5432/app',
  REDIS_URL: 'redis://localhost:6379/0',
  LOG_LEVEL: 'debug',
  PUBLIC_URL: 'http://localhost:3000',
  PORT: '3000',
  TZ: 'UTC',
  SENTRY_DSN: 'https://abc@o1.ingest.example.com/1',
  MAIL_FROM: 'Shop <shop@example.com>',
}
const PROD = {
  DATABASE_URL: 'postgres://app:p%40ss@db.internal:5432/app?sslmode=require',
  REDIS_URL: 'rediss://cache.internal:6380/0',
  LOG_LEVEL: 'warn',
  PUBLIC_URL: 'https://shop.example.com',
  PORT: '3000',
  TZ: 'UTC',
  SENTRY_DSN: 'https://abc@o1.ingest.example.com/1',
  MAIL_FROM: 'Shop <shop@example.com>',
  STRIPE_KEY: 'sk_live_"quoted" $and #hash',
}
const SHARED = 'PORT,TZ,SENTRY_DSN,MAIL_FROM'
// Its text is no output, because the panel shows the command.
const PRINT = `console.log('<' + '<' + JSON.stringify(Object.fromEntries(process.env.NAMES.split(',').map((n) => [n, process.env[n]]))) + '>' + '>')`

const fileOf = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('')

// The tests tell one story, in this order.
describe.skipIf(!hasBrowser() || !hasTerminal())('two environments of one application', () => {
  let server: RunningServer
  let browser: Browser
  let folder: string
  let page: WatchedPage

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    folder = await mkdtemp(join(tmpdir(), 'keyferry-environments-'))
    await writeFile(join(folder, '.env'), fileOf(DEV))
    await writeFile(join(folder, '.env.production'), fileOf(PROD))
    page = await openPage(browser)
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const envFor = (more: Record<string, string> = {}) => {
    const { PATH, HOME } = process.env
    return { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url, ...more }
  }
  const bundleNamed = async (name: string) => {
    const bundles = await createClient(server.url)('GET', '/api/v1/bundles')
    return bundles.find((bundle) => bundle.name === name)?.id ?? ''
  }

  /** The client as a pipeline runs it: without a terminal. */
  async function inPipeline(...words: string[]): Promise<{ code: number; output: string }> {
    const [program = '', ...first] = KEYFERRY
    return await new Promise((resolve) => {
      const options = { cwd: folder, env: { ...envFor(), CI: 'true' } }
      const child = execFile(program, [...first, ...words], options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
      )
      child.stdin?.end()
    })
  }

  /** Run a program with a bundle, approve in the browser, and read the values that the program got. */
  async function ran(bundle: string, names: readonly string[]): Promise<unknown> {
    const words = ['run', bundle, '--no-open', '--', process.execPath, '-e', PRINT]
    const env = envFor({ NAMES: names.join(',') })
    const terminal = inTerminal([...KEYFERRY, ...words], { cwd: folder, env, columns: 400 })
    const [link] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}/)
    await page.goto(link)
    await readRequest(page)
    await page.getByRole('button', { name: /^Approve|: approve/ }).click()
    const [, printed = ''] = await terminal.appears(/<<(.*)>>/)
    expect(await terminal.exit).toBe(0)
    return JSON.parse(printed)
  }

  const runBoth = async (names: readonly string[]) => [
    await ran('dev/app', names),
    await ran('prod/app', names),
  ]

  const openBundle = async (name: string, view = '') => {
    await page.goto(`${server.url}/bundles/${await bundleNamed(name)}${view}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

  async function saveKey(bundle: string, name: string, value: string): Promise<void> {
    await openBundle(bundle)
    await openRow(page, name)
    await page.getByRole('link', { name: 'History and holders' }).click()
    await page.getByRole('link', { name: 'Change' }).first().click()
    await page.getByLabel(`Value of ${name} in`).fill(value)
  }

  test('a pipeline imports both files; a second import writes nothing', async () => {
    const first = await inPipeline('import', '.env', '--bundle', 'dev/app')
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/^8 new \(/m) })
    const second = await inPipeline('import', '.env.production', '--bundle', 'prod/app', '--share', SHARED)
    expect(second.code).toBe(0)
    expect(second.output).toContain(
      '1 new (STRIPE_KEY), 4 own (DATABASE_URL, REDIS_URL, LOG_LEVEL, …), 4 shared (PORT, TZ, SENTRY_DSN, …)\n',
    )
    for (const [file, bundle] of [
      ['.env', 'dev/app'],
      ['.env.production', 'prod/app'],
    ] as const) {
      const again = await inPipeline('import', file, '--bundle', bundle)
      expect(again).toMatchObject({ code: 0, output: expect.stringContaining('Nothing to write') })
    }
  })

  test('each environment starts with its own values', async () => {
    expect(await runBoth(Object.keys(PROD))).toEqual([DEV, PROD])
  })

  test('a shared value changes in both, an own value in one', async () => {
    await saveKey('dev/app', 'SENTRY_DSN', 'https://new@o1.ingest.example.com/2')
    await saveInAll(page)
    await pressArmed(page, 'Save in prod too')
    await page.getByText('Saved SENTRY_DSN in 2 bundles').waitFor()
    await saveKey('prod/app', 'LOG_LEVEL', 'error')
    await pressArmed(page, 'Save in prod')
    await page.getByText('Saved LOG_LEVEL in prod/app').waitFor()
    const shared = 'https://new@o1.ingest.example.com/2'
    expect(await runBoth(['SENTRY_DSN', 'LOG_LEVEL'])).toEqual([
      { SENTRY_DSN: shared, LOG_LEVEL: 'debug' },
      { SENTRY_DSN: shared, LOG_LEVEL: 'error' },
    ])
  })

  test('the page and the terminal compare them', async () => {
    await page.goto(`${server.url}/apps/dev/app?with=prod/app`)
    await page.getByRole('button', { name: /^STRIPE_KEY in dev: missing/ }).waitFor()
    expect(await page.getByRole('button', { name: / in prod: the same as dev/ }).count()).toBe(4)
    const { code, output } = await inPipeline('diff', 'dev/app', 'prod/app', '--fail-on', 'missing')
    expect(code).toBe(1)
    expect(output).toContain('- STRIPE_KEY    missing in dev/app; own value in prod/app\n')
    expect(output).toContain('1 missing in a bundle, 4 with own values, 4 same in all\n')
    for (const value of ['postgres', 'sk_live', 'debug']) expect(output).not.toContain(value)
  })

  test('splitting a key that was equal by chance separates prod from dev', async () => {
    await openBundle('prod/app')
    await cellOf(page, 'PORT', 'prod').click()
    await page.getByLabel('Value of PORT in prod/app').fill('8080')
    await pressArmed(page, 'Save in prod')
    await page.getByText('Saved PORT in prod/app, v2.').waitFor()
    expect(await runBoth(['PORT'])).toEqual([{ PORT: '3000' }, { PORT: '8080' }])
  })

  test('the terminal leads to the page that duplicates prod as staging, which then gets own values', async () => {
    const { code, output } = await inPipeline('diff', 'prod/app', 'staging/app')
    expect(code).toBe(2)
    const [link = ''] = /http:\S+/.exec(output) ?? []
    await page.goto(link)
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('staging/app')
    for (const name of ['DATABASE_URL', 'PORT'])
      await page.getByLabel(`What to do with ${name}`).selectOption('own')
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByText('keyferry import .env --bundle staging/app').waitFor()
    expect(await ran('staging/app', ['DATABASE_URL', 'PORT', 'STRIPE_KEY'])).toEqual({
      DATABASE_URL: PROD.DATABASE_URL,
      PORT: '8080',
      STRIPE_KEY: PROD.STRIPE_KEY,
    })
  })

  test('the preview of an import shows how a value changes that is not secret, and no secret', async () => {
    const call = createClient(server.url)
    const [key] = await call('GET', '/api/v1/keys', { query: { query: 'STAGING_APP_PORT' } })
    await call('PUT', '/api/v1/keys/{key_id}', {
      params: { key_id: key?.id ?? '' },
      body: { is_secret: false },
    })
    await page.goto(`${server.url}/bundles/import?bundle=staging/app`)
    await page.getByLabel('Content of the').fill('PORT=9090\nDATABASE_URL=postgres://next\n')
    const change = page.getByRole('listitem').filter({ hasText: 'PORT' })
    await expect.poll(() => change.locator('del').allInnerTexts()).toEqual(['8080'])
    await expect.poll(() => change.locator('ins').innerText()).toBe('9090')
    expect(
      await page.getByRole('listitem').filter({ hasText: 'DATABASE_URL' }).locator('ins, del').count(),
    ).toBe(0)
  })

  test('an export contains the names of its environment, and importing it back writes nothing', async () => {
    const place = `${server.url}/api/v1/bundles/${await bundleNamed('prod/app')}/export`
    const exported = await (await fetch(place)).text()
    expect(exported.split('\n').filter(Boolean).toSorted()).toEqual(
      Object.keys(PROD)
        .toSorted()
        .map((name) => `${name}=*****`),
    )
    await writeFile(join(folder, 'exported.env'), exported)
    const again = await inPipeline('import', 'exported.env', '--bundle', 'prod/app')
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('Nothing to write') })
    await closePage(page)
  })
})
