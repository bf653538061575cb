import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SessionCookie, sessionHeaders } from './app-accounts.ts'
import { openPage, readRequest } from './app-page.ts'
import { startBoundServer } from './bound-server.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { createMachine } from './machine-calls.ts'
import { noteAddresses } from './opened-address.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import type { RunningServer } from './start-server.ts'
import { closeTerminals, hasTerminal, inTerminal } from './terminal.ts'

describe.skipIf(!hasBrowser() || !hasTerminal())('a terminal without a credential lists names', () => {
  let server: RunningServer
  let browser: Browser
  let cookie: SessionCookie
  let folder: string
  let opened: Awaited<ReturnType<typeof noteAddresses>>

  beforeAll(async () => {
    ;[{ server, cookie }, browser] = await Promise.all([startBoundServer(), sharedBrowser()])
    folder = await mkdtemp(join(tmpdir(), 'keyferry-ls-'))
    opened = await noteAddresses(folder)
  })

  afterAll(async () => {
    closeTerminals()
    await closePages(browser)
    await server?.dispose()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  function environment(opens: boolean) {
    const { PATH, HOME } = process.env
    const own = { PATH, HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', KEYFERRY_SERVER: server.url }
    const runtime = { XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: join(folder, 'state') }
    return { ...own, ...runtime, BROWSER: opens ? opened.program : 'none' }
  }

  function client(words: readonly string[], opens = true) {
    return inTerminal([process.execPath, CLIENT_PROGRAM, ...words], { cwd: folder, env: environment(opens) })
  }

  async function press(address: string, name: RegExp) {
    const page = await openPage(browser)
    await page.context().addCookies([{ ...cookie, url: server.url }])
    await page.goto(address)
    await page.getByRole('list', { name: /to list$/ }).waitFor()
    await readRequest(page)
    await page.getByRole('button', { name }).click()
    return page
  }

  test('ls of a bundle prints its names after one click, over loopback', async () => {
    const terminal = client(['ls', 'dev/app'])
    const page = await press(await opened.next(), /^List \d+ names/)
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).toMatch(/approved by \S+: \d+ variables of dev\/app in workspace/)
    expect(terminal.output()).toMatch(/STRIPE_SECRET_KEY +secret/)
    expect(terminal.output()).not.toContain('planted-')
    await page.getByRole('heading', { name: 'Listed' }).waitFor()
    await page.context().close()
  })

  test('the code of the page brings the approval back', async () => {
    const terminal = client(['ls', 'dev/app'], false)
    const [link] = await terminal.appears(/http\S+\/a\/[\w-]{22}/)
    const page = await press(link, /^List \d+ names/)
    const code = await page.getByText(/^\d{3} \d{3}$/).innerText()
    await terminal.appears(/six digits from the page: /)
    terminal.type(`${code}\r`)
    expect(await terminal.exit).toBe(0)
    expect(terminal.output()).toMatch(/STRIPE_SECRET_KEY +secret/)
    await page.context().close()
  })

  test('ls without a bundle names the page that lists them', async () => {
    const terminal = client(['ls'], false)
    expect(await terminal.exit).toBe(2)
    expect(terminal.output()).toContain(`Open ${server.url}, or name a bundle.`)
  })

  function diff(bundle: string, env: NodeJS.ProcessEnv) {
    return spawnSync(process.execPath, [CLIENT_PROGRAM, 'diff', 'dev/app', bundle], {
      cwd: folder,
      env: { ...environment(false), ...env },
      encoding: 'utf8',
    })
  }

  test('diff compares what the token of a machine can read; without one it names the page', async () => {
    const headers = sessionHeaders(server.url, cookie)
    const call = createClient(server.url)
    const bundles = await call('GET', '/api/v1/bundles', { headers })
    const machine_id = await createMachine(server.url, { name: 'checks' }, headers)
    for (const name of ['dev/app', 'dev/worker']) {
      const params = { machine_id, bundle_id: bundles.find((bundle) => bundle.name === name)?.id ?? '' }
      const path = '/api/v1/machines/{machine_id}/bundles/{bundle_id}'
      await call('PUT', path, { headers, params, body: { scope: 'read' } })
    }
    const { token } = await call('POST', '/api/v1/machines/{machine_id}/tokens', {
      headers,
      params: { machine_id },
      body: { expires_in_days: 7, networks: [] },
    })
    const { status, stdout } = diff('dev/worker', { KEYFERRY_TOKEN: token })
    expect(stdout).toMatch(/- PORT +missing in dev\/worker; own value in dev\/app\n/)
    expect(stdout).toContain('3 missing in a bundle, 3 same in all')
    expect(status).toBe(1)
    expect(diff('prod/shop/app', { KEYFERRY_TOKEN: token }).stderr).toContain('cannot read prod/shop/app')
    const { stderr } = diff('dev/worker', {})
    expect(stderr).toContain(`Open ${server.url}/apps/dev/app?with=dev/worker, or set KEYFERRY_TOKEN`)
  })

  test('what completion runs makes no request', () => {
    const words = [CLIENT_PROGRAM, '__complete', '1', 'run', '']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: folder,
      env: environment(false),
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})
