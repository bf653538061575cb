import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AGENT, agentComputer } from './agent-commands.ts'
import { createLibrary } from './app-library.ts'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  pressArmed,
  readRequest,
} from './app-page.ts'
import { closePages, hasBrowser, sharedBrowser } from './browser.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { movedControls, WATCH_CONTROLS, watchAnew } from './still.ts'

const printing = (name: string) => ['run', 'dev/worker', '--reason', 'to work', '--', 'printenv', name]
const choice = (page: Page, name: string | RegExp) => page.getByRole('radio', { name })

/** Press *Approve the task* until its dialog opens: earlier presses do not count. */
async function pressUntil(page: Page, dialog: Locator): Promise<void> {
  await readRequest(page)
  const press = async () => {
    const isOpen = await dialog.isVisible()
    if (!isOpen) await page.getByRole('button', { name: 'Approve the task' }).click()
    return isOpen
  }
  await expect.poll(press).toBe(true)
}

describe.skipIf(!hasBrowser())('a task', () => {
  let server: RunningServer
  let browser: Browser
  let computer: Awaited<ReturnType<typeof agentComputer>>
  const call = () => createClient(server.url)

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startServer(), sharedBrowser()])
    computer = await agentComputer(server.url)
    await createLibrary(server.url)
  })
  afterEach(() => computer.stopAll())
  afterAll(async () => {
    await closePages(browser)
    await server?.dispose()
    await computer?.dispose()
  })

  test('an owner allows it at the first approval of an agent; then any command starts, until End', async () => {
    const first = computer.run(printing('LOG_LEVEL'))
    await first.says('approve at')
    const page = await computer.opensPage(browser)
    expect(await page.getByRole('radio').count()).toBe(2)
    await expect(choice(page, 'this command, once').isChecked()).resolves.toBe(true)
    await choice(page, 'the task (allow in dev/)').check()
    await page
      .getByText(/^Until \d\d:\d\d, up to 50 times, programs of .* can get .* and run anything/)
      .waitFor()
    await page.getByText('Nobody reads those commands first.').waitFor()
    await expectAccessible(page)
    await page.setViewportSize({ width: 390, height: 740 })
    await expectNoSidewaysScroll(page)
    await readRequest(page)
    const dialog = page.getByRole('dialog', { name: 'Allow tasks in dev/?' })
    await pressUntil(page, dialog)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const { policy } = await rulesOfDev()
    expect(policy).toBeNull()
    await pressUntil(page, dialog)
    await pressArmed(page, 'Allow and approve')
    expect(await first.ended()).toEqual([0, null])
    expect(first.output()).toMatch(/approved by .* as a task: any command here until \d\d:\d\d/)
    expect((await rulesOfDev()).policy).toMatchObject({ tasks: 'allow', agents: 'remember' })
    const other = computer.run([
      'run',
      'dev/worker',
      '--reason',
      'to read',
      '--',
      'sh',
      '-c',
      'echo $LOG_LEVEL',
    ])
    expect(await other.ended()).toEqual([0, null])
    expect(other.output()).toMatch(
      /task: 49 more times until \d\d:\d\d; keyferry forget ends everything this terminal remembers/,
    )
    await page.setViewportSize({ width: 1280, height: 860 })
    await page.goto(server.url)
    const row = page.getByRole('listitem').filter({ hasText: 'Task: any command of claude-code' })
    await row.getByText('1 run, last sh').waitFor()
    await expectAccessible(page)
    await row.getByRole('button', { name: 'End' }).click()
    await row.getByText(/^1 run, last sh .* · ended$/).waitFor()
    expect(await row.getByRole('button', { name: 'End' }).count()).toBe(0)
    const asked = computer.run(printing('LOG_LEVEL'))
    await asked.says('approve at')
    expect(asked.output()).toContain('the remembered approval was revoked')
    await computer.next()
    await asked.stop('SIGTERM')
    await closePage(page)
  })
  const rulesOfDev = async () => {
    const { places = [] } = await call()('GET', '/api/v1/tenants/current/policy', { query: { places: '1' } })
    const place = places.find(({ folder }) => folder === 'dev/')
    return { policy: place && place.set.tasks !== null ? place.set : null }
  }

  test('commands that wait are listed, and start with it; one in another folder asks', async () => {
    await call()('PUT', '/api/v1/tenants/current/policy', {
      body: { folder: 'dev/', tasks: 'allow', agents: 'remember' },
    })
    const elsewhere = join(computer.folder, 'elsewhere')
    await mkdir(elsewhere)
    const [waiting, other] = [
      computer.run(printing('LOG_LEVEL')),
      computer.run(printing('LOG_LEVEL'), AGENT, elsewhere),
    ]
    for (const { says } of [waiting, other]) await says('approve at')
    await computer.next()
    const first = computer.run([
      'run',
      'dev/worker',
      '--reason',
      'to build',
      '--',
      'printenv',
      'DATABASE_URL',
    ])
    await first.says('approve at')
    const page = await computer.opensPage(browser)
    await choice(page, 'the task, 30 minutes').check()
    await page.getByText('These commands wait, and start with it:').waitFor()
    const home = await openPage(browser)
    await home.addInitScript(WATCH_CONTROLS)
    await home.goto(server.url)
    await home.getByRole('table').first().waitFor()
    await watchAnew(home)
    expect(await page.getByRole('listitem').filter({ hasText: 'printenv LOG_LEVEL' }).count()).toBe(1)
    await readRequest(page)
    await pressArmed(page, 'Approve the task')
    await waiting.ended()
    expect(waiting.output()).toContain('info')
    await first.ended()
    expect(other.output()).not.toContain('info')
    const news = home.getByText('New: 1 task.')
    const comeBack = async () => {
      await home.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
      return await news.isVisible()
    }
    await expect.poll(comeBack).toBe(true)
    expect(await movedControls(home)).toEqual([])
    await home.getByRole('button', { name: 'Show' }).click()
    await home.getByText('Task: any command of claude-code').waitFor()
    for (const open of [page, home]) await closePage(open)
  })

  test('a person is offered the same, where a rule allows it', async () => {
    const person = computer.run(['run', 'dev/worker', '--', 'printenv', 'LOG_LEVEL'], {})
    await person.says('approve at')
    const page = await computer.opensPage(browser)
    await choice(page, 'this command again, 8 hours').check()
    await choice(page, 'the task, 30 minutes').check()
    await page.getByRole('button', { name: 'Approve the task' }).waitFor()
    await page.getByRole('button', { name: 'Deny' }).waitFor()
    await closePage(page)
  })

  test('production offers none', async () => {
    const page = await openPage(browser)
    const run = computer.run(['run', 'prod/shop/mail', '--reason', 'to send', '--', 'true'])
    await run.says('approve at')
    await page.goto(await computer.next())
    await readRequest(page)
    expect(await page.getByRole('radio', { name: /the task/ }).count()).toBe(0)
    await closePage(page)
  })
})
