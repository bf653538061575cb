import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCOUNTS, sessionHeaders } from './app-accounts.ts'
import { expectAccessible, readRequest } from './app-page.ts'
import { type BoundTerminals, openBoundTerminals } from './bound-terminals.ts'
import { hasBrowser } from './browser.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { startServer } from './start-server.ts'
import { hasTerminal } from './terminal.ts'

describe.skipIf(!hasBrowser() || !hasTerminal())('a terminal without a credential stores values', () => {
  let world: BoundTerminals
  let folder: string
  let opened: BoundTerminals['opened']

  beforeAll(async () => {
    world = await openBoundTerminals()
    ;({ folder, opened } = world)
  })
  afterAll(async () => await world?.close())

  const client = (words: readonly string[], opens = true, env: Readonly<Record<string, string>> = {}) =>
    world.client(words, { opens, env })

  async function approve(address: string, name: RegExp) {
    const page = await world.signedIn()
    await page.goto(address)
    await page.getByRole('button', { name }).waitFor()
    await readRequest(page)
    await page.getByRole('button', { name }).click()
    return page
  }

  async function exported(bundle: string): Promise<string> {
    const { server, cookie } = world
    const headers = sessionHeaders(server.url, cookie)
    const list = await fetch(`${server.url}/api/v1/bundles?query=${bundle}`, { headers })
    const bundles: { id: string; name: string }[] = JSON.parse(await list.text())
    const id = bundles.find(({ name }) => name === bundle)?.id ?? ''
    return await (await fetch(`${server.url}/api/v1/bundles/${id}/export`, { headers })).text()
  }

  test('import stores a file after one click, over loopback', async () => {
    await writeFile(join(folder, '.env'), 'HOST=db.example\nTOKEN=planted-token\n')
    const terminal = client(['import', '.env', '--bundle', 'dev/cli', '--public', 'HOST'])
    const page = await approve(await opened.next(), /^Store 2 variables/)
    // The first time in this folder, the person says that the workspace is theirs.
    await terminal.appears(/Approved by sam for the workspace [0-9a-f-]{36}, named ".+"/)
    await terminal.appears(/Store in this workspace\? \[y\/N\] /)
    await page.getByRole('heading', { name: 'Answer the question in the terminal' }).waitFor()
    terminal.type('y\r')
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).toMatch(/approved by sam: stored in dev\/cli in workspace .*: 2 new/)
    await page.getByRole('heading', { name: 'Stored' }).waitFor()
    expect(await exported('dev/cli')).toBe('HOST=db.example\nTOKEN=*****\n')
    await page.context().close()
  })

  test('import of several files has one plan, one approval and one receipt, and stores a bundle for each', async () => {
    const texts = { api: 'LOG_LEVEL=info\nAPI_TOKEN=planted-api\n', web: 'LOG_LEVEL=debug\n' }
    for (const [name, text] of Object.entries(texts)) {
      await mkdir(join(folder, 'apps', name), { recursive: true })
      await writeFile(join(folder, 'apps', name, '.env'), text)
    }
    const files = ['apps/api/.env', 'apps/web/.env', '--bundle', 'dev/several-{dir}']
    const terminal = client(['import', ...files, '--public', 'LOG_LEVEL', '--receipt', 'several.json'])
    const page = await world.signedIn()
    await page.goto(await opened.next())
    await page.getByRole('region', { name: 'dev/several-web' }).getByText('debug').waitFor()
    expect(await page.getByRole('list', { name: 'Variables' }).allInnerTexts()).toEqual([
      expect.stringMatching(/LOG_LEVEL[\s\S]*info[\s\S]*API_TOKEN/),
      expect.stringMatching(/LOG_LEVEL[\s\S]*debug/),
    ])
    await expectAccessible(page)
    await readRequest(page)
    await page.getByRole('button', { name: 'Store 3 variables' }).click()
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).toMatch(
      /stored in dev\/several-api in workspace .*: 1 new .*; in dev\/several-web: 1 own/,
    )
    const verified = client(['receipt', 'verify', 'several.json'])
    await verified.appears(/dev\/several-web/)
    expect(await exported('dev/several-api')).toBe('LOG_LEVEL=info\nAPI_TOKEN=*****\n')
    expect(await exported('dev/several-web')).toBe('LOG_LEVEL=debug\n')
    await page.context().close()
  })

  test('set asks for a value without showing it, and the code brings the approval back', async () => {
    const terminal = client(['set', 'TYPED', '--bundle', 'dev/typed'], false)
    await terminal.appears(/TYPED: /)
    terminal.type('planted-typed\r')
    const [link] = await terminal.appears(/http\S+\/a\/[\w-]{22}/)
    const page = await approve(link, /^Store 1 variable/)
    const code = await page.getByText(/^\d{3} \d{3}$/).innerText()
    await terminal.appears(/six digits from the page: /)
    terminal.type(`${code}\r`)
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).not.toContain('planted-typed')
    expect(await exported('dev/typed')).toBe('TYPED=*****\n')
    await page.context().close()
  })

  test('unset removes a name with an approval, and edit removes the lines that are gone', async () => {
    await writeFile(join(folder, '.env'), 'KEPT=1\nGONE=2\nEDITED=3\n')
    const importing = client(['import', '.env', '--bundle', 'dev/less', '--public', 'KEPT,GONE,EDITED'])
    const pages = [await approve(await opened.next(), /^Store 3 variables/)]
    expect(await importing.exit).toBe(0)
    const unset = client(['unset', 'GONE', '--bundle', 'dev/less', '--receipt', 'unset.json'])
    pages.push(await approve(await opened.next(), /^Remove 1 variable/))
    expect(await unset.exit).toBe(0)
    expect(unset.output()).toMatch(/stored in dev\/less in workspace .*: 1 removed/)
    const verified = client(['receipt', 'verify', 'unset.json'])
    await verified.appears(/Bundle +dev\/less in workspace .*\s+Removed +GONE/)
    expect(await exported('dev/less')).toBe('KEPT=1\nEDITED=3\n')
    const edit = client(['edit', 'dev/less'], true, { EDITOR: 'sed -i -e s/KEPT=1/KEPT=9/ -e /EDITED/d' })
    pages.push(await approve(await opened.next(), /^(Approve|It is the same: approve)$/))
    pages.push(await approve(await opened.next(), /^Store 1 variable, remove 1/))
    expect(await edit.exit).toBe(0)
    expect(await exported('dev/less')).toBe('KEPT=9\n')
    for (const page of pages) await page.context().close()
  })

  test('a denied deposit ends the command with the code of a denial', async () => {
    const terminal = client(['set', 'DENIED', '--bundle', 'dev/denied', '--generate', '32'])
    const page = await approve(await opened.next(), /^Deny/)
    expect(await terminal.exit).toBe(3)
    expect(terminal.output()).toContain('Nothing was stored.')
    await page.context().close()
  })
})

test('where an address made too many requests, import waits for the time that the server names, as run does', async () => {
  const server = await startServer({ env: { ...ACCOUNTS, REQUESTS_PER_MINUTE: '1' } })
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-limited-'))
  await writeFile(join(folder, '.env'), 'A=1\n')
  const env = { PATH: process.env['PATH'], HOME: folder, KEYFERRY_SERVER: server.url }
  const words = [
    'import',
    '.env',
    '--bundle',
    'dev/limited',
    '--json',
    '--no-open',
    '--workspace',
    randomUUID(),
  ]
  const start = () =>
    spawn(process.execPath, [CLIENT_PROGRAM, ...words], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  type Said = { event: string; wait_seconds?: number }
  const said = async ({ stderr }: ReturnType<typeof start>): Promise<Said> => {
    const [line] = await once(createInterface({ input: stderr }), 'line')
    return JSON.parse(String(line))
  }
  const [first, second] = [start(), start()]
  const events = await Promise.all([said(first), said(second)])
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['asked', 'rate_limited']))
  const limited = events.find(({ event }) => event === 'rate_limited')
  expect(limited?.wait_seconds).toBeGreaterThan(0)
  expect([first.exitCode, second.exitCode]).toEqual([null, null])
  for (const client of [first, second]) {
    const ended = once(client, 'exit')
    client.kill('SIGINT')
    await ended
  }
  await server.dispose()
  await rm(folder, { recursive: true })
})
