import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../plumbing/test/until.ts'
import { createLibrary } from './app-library.ts'
import { closePage, expectAccessible, openPage, pressArmed, readRequest } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { noteAddresses } from './opened-address.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

const COMMAND = ['run', 'dev/worker', '--reason', 'to run the tests', '--', 'printenv', 'LOG_LEVEL']
const AGENT = { CLAUDECODE: '1' }

describe.skipIf(!hasBrowser())('a command that the harness of an agent stops', () => {
  let server: RunningServer
  let browser: Browser
  let folder: string
  let opened: Awaited<ReturnType<typeof noteAddresses>>
  const children: ChildProcess[] = []

  beforeAll(async () => {
    ;[server, browser, folder] = await Promise.all([
      startServer(),
      sharedBrowser(),
      mkdtemp(join(tmpdir(), 'keyferry-left-')),
    ])
    opened = await noteAddresses(folder)
    const { bundles } = await createLibrary(server.url)
    await createClient(server.url)('PUT', '/api/v1/bundles/{bundle_id}/policy', {
      params: { bundle_id: bundles.get('dev/worker') ?? '' },
      body: { agents: 'remember' },
    })
  })
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
    await rm(folder, { recursive: true, force: true })
  })

  /** A command without a terminal, as agents run it. */
  const run = (words: readonly string[], env: Readonly<Record<string, string>> = AGENT) => {
    const { PATH, HOME } = process.env
    const child = spawn(process.execPath, [CLIENT_PROGRAM, ...words], {
      cwd: folder,
      env: {
        PATH,
        HOME,
        BROWSER: opened.program,
        KEYFERRY_SERVER: server.url,
        XDG_RUNTIME_DIR: folder,
        XDG_STATE_HOME: join(folder, 'state'),
        ...env,
      },
    })
    children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const exit = once(child, 'exit')
    return {
      output: () => output,
      says: (text: string) => until(text, () => output.includes(text)),
      ended: async () => await exit,
      stop: async (signal: NodeJS.Signals) => {
        child.kill(signal)
        return await exit
      },
    }
  }
  const opensPage = async () => {
    const page = await openPage(browser)
    await page.goto(await opened.next())
    await readRequest(page)
    return page
  }

  test('by SIGTERM: the page says so, and after a yes the same command starts at once, one time', async () => {
    const stopped = run(COMMAND)
    await stopped.says('if this stops, run the same command again; after a yes it starts at once')
    const page = await opensPage()
    await stopped.stop('SIGTERM')
    expect(stopped.output()).toContain('the request stays open for 2 hours')
    await page.getByText(/^The command stopped at .*\. Let it run when it asks again\?/).waitFor()
    expect(await page.getByRole('radio').count()).toBe(0)
    await readRequest(page)
    await expectAccessible(page)
    await pressArmed(page, 'Once')
    await page.getByRole('heading', { name: 'Approved for the next run' }).waitFor()
    await expectAccessible(page)
    await page.reload()
    await page.getByRole('heading', { name: 'Approved for the next run' }).waitFor()
    expect(await page.getByText(/delivered/i).allTextContents()).toEqual([
      expect.stringContaining('Nothing was delivered yet.'),
    ])
    const started = run(COMMAND)
    expect(await started.ended()).toEqual([0, null])
    expect(started.output()).toContain('info')
    expect(started.output()).not.toContain('approve at')
    const third = run(COMMAND)
    await third.says('approve at')
    await opened.next()
    await third.stop('SIGKILL')
    await closePage(page)
  })

  test('by SIGKILL: an approval that reaches nobody can be for the next run', async () => {
    const killed = run(COMMAND)
    const page = await opensPage()
    await killed.stop('SIGKILL')
    await pressArmed(page, /^Approve/)
    await expect.poll(() => page.url()).toMatch(/^chrome-error:/)
    await page.goBack()
    await page.getByRole('heading', { name: 'Your browser could not reach the program' }).waitFor()
    await page.getByText('The terminal has no values yet.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Once' }).click()
    await page.getByRole('heading', { name: 'Approved for the next run' }).waitFor()
    const started = run(COMMAND)
    expect(await started.ended()).toEqual([0, null])
    expect(started.output()).toContain('info')
    await closePage(page)
  })

  test('a retry that waits starts by the yes on the page of the command before it', async () => {
    const stopped = run(COMMAND)
    const page = await opensPage()
    await stopped.stop('SIGTERM')
    await page.getByText(/^The command stopped at/).waitFor()
    const retry = run(COMMAND)
    await retry.says('approve at')
    await opened.next()
    await readRequest(page)
    await pressArmed(page, 'Once')
    expect(await retry.ended()).toEqual([0, null])
    expect(retry.output()).toContain('info')
    await closePage(page)
  })

  test('where agents are not remembered, it withdraws as before, and the page offers no next run', async () => {
    const words = ['run', 'dev/app', '--reason', 'to start', '--', 'true']
    const stopped = run(words)
    const page = await opensPage()
    await stopped.stop('SIGTERM')
    expect(stopped.output()).not.toContain('if this stops')
    await page.getByRole('heading', { name: 'Withdrawn' }).waitFor()
    await closePage(page)
    const killed = run(words)
    const second = await opensPage()
    await killed.stop('SIGKILL')
    await pressArmed(second, /^Approve/)
    await expect.poll(() => second.url()).toMatch(/^chrome-error:/)
    await second.goBack()
    await second.getByText('The terminal has no values yet.').waitFor()
    expect(await second.getByRole('button', { name: 'Once' }).count()).toBe(0)
    await closePage(second)
  })
})
