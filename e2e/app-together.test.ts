import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACCOUNTS, type SessionCookie, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { APPROVE, closePage, expectAccessible, openPage, readRequest } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

const KEYFERRY = `'${process.execPath}' '${CLIENT_PROGRAM}'`

// Each command notes what it got. A process manager gives its programs no terminal, and starts them at once.
const PROCFILE = `
${KEYFERRY} run dev/app -- '${process.execPath}' note.mjs app PORT &
${KEYFERRY} run dev/worker -- '${process.execPath}' note.mjs worker LOG_LEVEL &
${KEYFERRY} run ci -- '${process.execPath}' note.mjs ci NPM_TOKEN &
wait
`
const NOTE = `
import { writeFileSync } from 'node:fs'
const [name, key] = process.argv.slice(2)
writeFileSync(name + '.out', Object.keys(process.env).includes(key) ? process.env[key] : 'nothing')
`

describe.skipIf(!hasBrowser())('three commands of one start', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie
  let folder: string
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const env = { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1', APPROVAL_ASSURANCE: 'local' }
    ;[server, browser] = await Promise.all([startServer({ env }), sharedBrowser()])
    cookie = await setUpOwner(server.url)
    await createLibrary(server.url, undefined, sessionHeaders(server.url, cookie))
  })

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyferry-together-'))
    await writeFile(join(folder, 'start.sh'), PROCFILE)
    await writeFile(join(folder, 'note.mjs'), NOTE)
    const program = join(folder, 'browser')
    await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${join(folder, 'opened')}'\n`)
    await chmod(program, 0o755)
  })

  afterEach(async () => {
    await stop?.()
    await rm(folder, { recursive: true, force: true })
  })

  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
  })

  const noted = (name: string) => readFile(join(folder, `${name}.out`), 'utf8').catch(() => null)
  const allNoted = () => Promise.all(['app', 'worker', 'ci'].map(noted))
  const howMany = async () => (await allNoted()).filter((text) => text !== null).length
  const openings = async () =>
    (await readFile(join(folder, 'opened'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')

  /** Start all three. @returns when they have ended */
  function start() {
    const { PATH, HOME } = process.env
    const own = { PATH, HOME, KEYFERRY_SERVER: server.url, BROWSER: join(folder, 'browser') }
    const child = spawn('sh', ['start.sh'], {
      cwd: folder,
      env: { ...own, XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: join(folder, 'state') },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const asked = () => said.split('approve at').length - 1
    const ended = once(child, 'close')
    stop = async () => {
      if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
      await ended
    }
    return { ended, asked, said: () => said }
  }

  /** The page that the one of them opened, once all three have asked. */
  async function openedPage(started: ReturnType<typeof start>) {
    await expect.poll(started.asked).toBe(3)
    await expect.poll(openings).toHaveLength(1)
    const [address = ''] = await openings()
    const page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(address)
    await readRequest(page)
    return page
  }

  test('are approved on the one page that opens; each gets its own values, and is remembered', async () => {
    const started = start()
    const page = await openedPage(started)
    expect(started.said()).toContain('the page of a command that started at the same time shows this one too')
    const list = page.getByRole('region', { name: 'Started together' })
    await expect.poll(() => list.getByRole('checkbox', { checked: true }).count()).toBe(2)
    await expectAccessible(page)
    await page.getByRole('radio', { name: '1 hour' }).check()
    await page.getByRole('button', { name: 'Approve 3 commands' }).click()
    await started.ended
    await expect.poll(allNoted).toEqual(['3000', 'info', 'planted-npm_token'])
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    await expect.poll(() => list.getByText('Delivered').count()).toBe(2)
    await expectAccessible(page)
    await closePage(page)
    const again = start()
    await again.ended
    expect(again.asked()).toBe(0)
  })

  test('one that ends before the click is named; the others are delivered', async () => {
    const started = start()
    const page = await openedPage(started)
    const list = page.getByRole('region', { name: 'Started together' })
    await list.getByText('note.mjs').first().waitFor()
    const own = page.url().split('/').at(-1) ?? ''
    const headers = sessionHeaders(server.url, cookie)
    const call = createClient(server.url, (input, init) =>
      fetch(input, { ...init, headers: Object.assign({}, init?.headers, headers) }),
    )
    const params = { request_id: own }
    const [other] = await call('GET', '/api/v1/requests/{request_id}/companions', { params })
    await page.getByRole('button', { name: 'Approve 3 commands' }).waitFor()
    await call('DELETE', '/api/v1/requests/{request_id}', { params: { request_id: other?.request_id ?? '' } })
    await page.getByRole('button', { name: 'Approve 3 commands' }).click()
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    await list.getByText('Not approved:').waitFor()
    await expect.poll(() => list.getByText('Delivered').count()).toBe(1)
    await started.ended
    await expect.poll(howMany).toBe(2)
    await closePage(page)
  })

  test('a deselected request stays open', async () => {
    const started = start()
    const page = await openedPage(started)
    const list = page.getByRole('region', { name: 'Started together' })
    await expect.poll(() => list.getByRole('checkbox', { checked: true }).count()).toBe(2)
    for (const box of await list.getByRole('checkbox').all()) await box.uncheck()
    await page.getByRole('button', { name: APPROVE }).click()
    await page.getByRole('heading', { name: 'Delivered' }).waitFor()
    await expect.poll(howMany).toBe(1)
    await closePage(page)
  })
})
