import { createClient } from '@keyferry/contract/client'
import { freePort } from '@keyferry/plumbing/free-port'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { agentComputer } from './agent-commands.ts'
import { createLibrary } from './app-library.ts'
import { closePage, expectAccessible, pressArmed, readRequest } from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'

const COMMAND = ['run', 'dev/worker', '--reason', 'to run the tests', '--', 'printenv', 'LOG_LEVEL']

describe.skipIf(!hasBrowser())('a command that the harness of an agent stops', () => {
  let server: RunningServer
  let browser: Browser
  let computer: Awaited<ReturnType<typeof agentComputer>>

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    computer = await agentComputer(server.url)
    const { bundles } = await createLibrary(server.url)
    await createClient(server.url)('PUT', '/api/v1/bundles/{bundle_id}/policy', {
      params: { bundle_id: bundles.get('dev/worker') ?? '' },
      body: { agents: 'remember' },
    })
  })
  afterEach(() => computer.stopAll())
  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
    await computer?.dispose()
  })

  test('by SIGTERM: the page says so, and after a yes the same command starts at once, one time', async () => {
    const stopped = computer.run(COMMAND)
    await stopped.says('if this stops, run the same command again; after a yes it starts at once')
    const page = await computer.opensPage(browser)
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
    const started = computer.run(COMMAND)
    expect(await started.ended()).toEqual([0, null])
    expect(started.output()).toContain('info')
    expect(started.output()).not.toContain('approve at')
    const third = computer.run(COMMAND)
    await third.says('approve at')
    await computer.next()
    await third.stop('SIGKILL')
    await closePage(page)
  })

  test('by SIGKILL: an approval that reaches nobody can be for the next run', async () => {
    const killed = computer.run(COMMAND)
    const page = await computer.opensPage(browser)
    await killed.stop('SIGKILL')
    await pressArmed(page, /^Approve/)
    await expect.poll(() => page.url()).toMatch(/^chrome-error:/)
    await page.goBack()
    await page.getByRole('heading', { name: 'Your browser could not reach the program' }).waitFor()
    await page.getByText('The terminal has no values yet.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Once' }).click()
    await page.getByRole('heading', { name: 'Approved for the next run' }).waitFor()
    const started = computer.run(COMMAND)
    expect(await started.ended()).toEqual([0, null])
    expect(started.output()).toContain('info')
    await closePage(page)
  })

  test('a retry that waits starts by the yes on the page of the command before it', async () => {
    const stopped = computer.run(COMMAND)
    const page = await computer.opensPage(browser)
    await stopped.stop('SIGTERM')
    await page.getByText(/^The command stopped at/).waitFor()
    const retry = computer.run(COMMAND)
    await retry.says('approve at')
    await computer.next()
    await readRequest(page)
    await pressArmed(page, 'Once')
    expect(await retry.ended()).toEqual([0, null])
    expect(retry.output()).toContain('info')
    await closePage(page)
  })

  test('where agents are not remembered, it withdraws as before, and the page offers no next run', async () => {
    const words = ['run', 'dev/app', '--reason', 'to start', '--', 'true']
    const stopped = computer.run(words)
    const page = await computer.opensPage(browser)
    await stopped.stop('SIGTERM')
    expect(stopped.output()).not.toContain('if this stops')
    await page.getByRole('heading', { name: 'Withdrawn' }).waitFor()
    await closePage(page)
    const killed = computer.run(words)
    const second = await computer.opensPage(browser)
    await killed.stop('SIGKILL')
    await pressArmed(second, /^Approve/)
    await expect.poll(() => second.url()).toMatch(/^chrome-error:/)
    await second.goBack()
    await second.getByText('The terminal has no values yet.').waitFor()
    expect(await second.getByRole('button', { name: 'Once' }).count()).toBe(0)
    await closePage(second)
  })
})

test.skipIf(!hasBrowser())(
  'a page says of no approval that it was delivered once its time is over',
  async () => {
    const port = await freePort('127.0.0.1')
    const browser = await sharedBrowser()
    const server = await startServer({ port, env: { REQUEST_TTL: '20' } })
    await createLibrary(server.url)
    const computer = await agentComputer(server.url)
    const killed = computer.run(COMMAND, {})
    const page = await computer.opensPage(browser)
    await killed.stop('SIGKILL')
    await pressArmed(page, /^Approve/)
    await expect.poll(() => page.url()).toMatch(/^chrome-error:/)
    await page.goBack()
    await page.getByRole('heading', { name: 'This request has expired' }).waitFor()
    await server.dispose()
    // A server that no longer knows the request, as after its memory of those that ended.
    const next = await startServer({ port })
    await page.reload()
    await page.getByRole('heading', { name: 'Already used or unknown' }).waitFor()
    expect(await page.getByText('Delivered').count()).toBe(0)
    await closePage(page)
    await next.dispose()
    await computer.dispose()
  },
)
