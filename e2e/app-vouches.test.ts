import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  closePage,
  expectAccessible,
  expectNoSidewaysScroll,
  joinInBrowser,
  readRequest,
  type WatchedPage,
} from './app-page.ts'
import { type BoundTerminals, openBoundTerminals } from './bound-terminals.ts'
import { hasBrowser } from './browser.ts'
import { clientIn } from './page-client.ts'
import { hasTerminal } from './terminal.ts'

describe.skipIf(!hasBrowser() || !hasTerminal())('a developer asks, an owner decides', () => {
  let world: BoundTerminals
  let owner: WatchedPage
  let developer: WatchedPage
  let other: WatchedPage

  beforeAll(async () => {
    world = await openBoundTerminals()
    owner = await world.signedIn()
    await owner.goto(`${world.server.url}/bundles`)
    await rules({ approvers: 'owner' })
    developer = await joined('kim@example.com')
    other = await joined('lee@example.com')
  }, 120_000)

  afterAll(async () => {
    for (const page of [owner, developer, other]) await closePage(page)
    await world?.close()
  })

  async function joined(email: string): Promise<WatchedPage> {
    const invited = { email, role: 'member' } as const
    const { accept_path } = await clientIn(owner)('POST', '/api/v1/invitations', { body: invited })
    return await joinInBrowser(world.browser, world.server.url + accept_path)
  }

  async function rules(body: { approvers: 'owner' } | { assurance: 'local' | null }): Promise<void> {
    const call = clientIn(owner)
    const bundles = await call('GET', '/api/v1/bundles', { query: { query: 'dev/worker' } })
    const params = { bundle_id: bundles[0]?.id ?? '' }
    await call('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body })
  }

  /** Where the vouch does not count, a link stays a warning. */
  async function isWarned(link: string): Promise<void> {
    await rules({ assurance: 'local' })
    await owner.goto(`${link}?from=link`)
    await owner.getByText('The rules do not accept how they said so').waitFor()
    await owner.getByText('Deny unless you know who ran the command.').waitFor()
    await rules({ assurance: null })
  }

  async function asks(): Promise<void> {
    await developer.getByRole('heading', { name: 'Ask for this approval?' }).waitFor()
    await expectAccessible(developer)
    await readRequest(developer)
    await developer.getByRole('button', { name: 'This is my terminal: ask an owner' }).click()
  }

  async function approves(): Promise<void> {
    await owner.goto(`${world.server.url}/waiting`)
    await owner.getByText('kim asks you to approve 3 keys of dev/worker').waitFor()
    await owner.getByRole('link', { name: 'Review' }).click()
    await owner.getByText('says that this is their terminal.').waitFor()
    expect(await owner.getByText('Check code').count()).toBe(0)
    expect(await owner.getByText('A web page linked you here').count()).toBe(0)
    await expectAccessible(owner)
    await readRequest(owner)
    await owner.getByRole('button', { name: /^Approve 3 keys/ }).click()
  }

  test('over loopback: the terminal waits for an owner, who approves without a code', async () => {
    const output = join(world.folder, 'vouched.json')
    const terminal = world.client(['pull', 'dev/worker', '--format', 'json', '--output', output])
    await developer.goto(await world.opened.next())
    await asks()
    await developer.getByRole('heading', { name: 'Asked for approval' }).waitFor()
    await expectAccessible(developer)
    await terminal.appears(/aiting for an owner/)
    await other.goto(`${world.server.url}/waiting`)
    await other.getByRole('heading', { name: 'Nothing waits for you' }).waitFor()
    await owner.setViewportSize({ width: 390, height: 800 })
    await approves()
    await expectNoSidewaysScroll(owner)
    await owner.setViewportSize({ width: 1280, height: 860 })
    expect(await terminal.exit).toBe(0)
    await owner.getByRole('heading', { name: 'Delivered' }).waitFor()
    await developer.getByRole('heading', { name: 'Delivered' }).waitFor()
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({ LOG_LEVEL: 'info' })
  })

  test('by a code, which only the developer types', async () => {
    const terminal = world.client(['run', 'dev/worker', '--', 'true'], { opens: false })
    const [link] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/approve\/\w+/)
    await developer.goto(link)
    await asks()
    await developer.getByRole('heading', { name: 'Type this code into your terminal' }).waitFor()
    const code = await developer.locator('p.text-code').innerText()
    await terminal.appears(/Code: /)
    terminal.type(`${code}\n`)
    await developer.getByRole('heading', { name: 'Asked for approval' }).waitFor()
    await isWarned(link)
    await approves()
    expect(await terminal.exit).toBe(0)
  })
})
