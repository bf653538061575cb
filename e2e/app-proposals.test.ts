import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionHeaders } from './app-accounts.ts'
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

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

// One story, told in order: each test goes on where the one before it ended.
describe.skipIf(!hasBrowser() || !hasTerminal())('a member proposes, an owner decides', () => {
  let world: BoundTerminals
  let owner: WatchedPage
  let member: WatchedPage
  let notified: string[]

  beforeAll(async () => {
    world = await openBoundTerminals()
    owner = await world.signedIn()
    notified = await noteNotifications(owner)
    await owner.goto(`${world.server.url}/bundles`)
    const invited = { email: 'kim@example.com', role: 'member' } as const
    const { accept_path } = await clientIn(owner)('POST', '/api/v1/invitations', { body: invited })
    member = await joinInBrowser(world.browser, world.server.url + accept_path)
    // The person belongs to two workspaces; the terminal means the owner's.
  })

  afterAll(async () => {
    await closePage(owner)
    await closePage(member)
    await world?.close()
  })

  async function propose(words: readonly string[], before: () => Promise<void> = async () => undefined) {
    const { tenant } = await clientIn(owner)('GET', '/api/v1/me', {})
    const terminal = world.client([...words, '--workspace', tenant.id])
    await member.goto(await world.opened.next())
    await member.getByText('Propose it to the owners').waitFor()
    await before()
    await readRequest(member)
    await member.getByRole('button', { name: /^Propose/ }).click()
    expect(await terminal.exit).toBe(0)
    await heading(member, 'Proposed')
    return terminal
  }

  async function exported(bundle: string): Promise<string> {
    const headers = sessionHeaders(world.server.url, world.cookie)
    const list = await fetch(`${world.server.url}/api/v1/bundles?query=${bundle}`, { headers })
    const bundles: { id: string; name: string }[] = JSON.parse(await list.text())
    const id = bundles.find(({ name }) => name === bundle)?.id ?? ''
    return await (await fetch(`${world.server.url}/api/v1/bundles/${id}/export`, { headers })).text()
  }

  test('set of what a member may not change becomes a proposal, and the terminal ends well', async () => {
    const terminal = await propose(
      ['set', 'LOG_LEVEL', '--bundle', 'dev/worker', '--generate', '12'],
      async () => {
        await expectAccessible(member)
        await member.emulateMedia({ colorScheme: 'dark' })
        await expectAccessible(member)
        await member.emulateMedia({ colorScheme: 'light' })
        await member.getByRole('checkbox', { name: /owners can read it/ }).check()
      },
    )
    expect(terminal.output()).toMatch(/Proposed\. Owners decide at http\S+\/w\/[0-9a-f-]{36}\/waiting/)
    expect(terminal.output()).not.toContain('Next: keyferry run')
  })

  test('an owner sees the notification, reads what may be read, and stores it', async () => {
    const { tenant } = await clientIn(owner)('GET', '/api/v1/me', {})
    const body = 'Open Keyferry to see whose.'
    const shown = JSON.stringify(['A decision waits for you', { tag: `keyferry-${tenant.id}`, body }])
    await expect.poll(() => notified).toEqual([shown])
    await owner.evaluate('pressNotification()')
    await owner.waitForURL(`${world.server.url}/w/${tenant.id}/`)
    await expect.poll(() => notified).toEqual([shown, 'closed'])
    const waiting = owner.getByRole('link', { name: 'Waiting for you: 1' })
    expect(await waiting.getAttribute('title')).toBe('Waiting for you')
    const settings = owner.getByRole('link', { name: 'Settings', exact: true })
    expect(await settings.getAttribute('title')).toBe('Settings')
    await waiting.click()
    await owner.getByText('kim proposes 1 variable for dev/worker').waitFor()
    await expectAccessible(owner)
    await owner.getByRole('link', { name: 'Review' }).click()
    await heading(owner, 'Change request for dev/worker')
    await owner.getByText('You cannot see a secret value; it comes from kim').waitFor()
    await owner
      .getByRole('main')
      .getByText(/^[0-9A-Za-z]{12}$/)
      .waitFor()
    await expectAccessible(owner)
    await owner.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(owner)
    await owner.setViewportSize({ width: 390, height: 800 })
    await expectNoSidewaysScroll(owner)
    await owner.setViewportSize({ width: 1280, height: 860 })
    const mark = owner.getByLabel('Who can read LOG_LEVEL')
    await expect.poll(() => mark.inputValue()).toBe('readable')
    await mark.selectOption('Secret')
    await expect.poll(() => mark.inputValue()).toBe('secret')
    await mark.selectOption('Readable')
    await expect.poll(() => mark.inputValue()).toBe('readable')
    await owner.getByRole('button', { name: 'Store 1 variable' }).click()
    await owner.getByText('Changed dev/worker.').waitFor()
    await owner.getByRole('link', { name: 'Waiting for you', exact: true }).waitFor()
    expect(await owner.getByRole('region', { name: 'Waiting for you' }).count()).toBe(0)
    expect(await exported('dev/worker')).toMatch(/^LOG_LEVEL=[0-9A-Za-z]{12}$/m)
  })

  test('production takes no press of a script; the proposer learns of a decline', async () => {
    await propose(['unset', 'SMTP_PASSWORD', '--bundle', 'prod/shop/mail'])
    await owner.reload()
    await owner.getByRole('link', { name: 'Review' }).click()
    await owner.getByText('Production:').waitFor()
    await owner.getByRole('button', { name: 'Remove 1 variable' }).dispatchEvent('click')
    await owner.getByRole('button', { name: 'Decline' }).click()
    await owner.getByText('Declined. The values are deleted.').waitFor()
    await member.goto(owner.url())
    const own = member.getByRole('list', { name: 'Your change requests' }).getByRole('listitem')
    await own.first().waitFor()
    await expect
      .poll(() => own.allInnerTexts())
      .toEqual([expect.stringContaining('Declined'), expect.stringContaining('Stored')])
    await expectAccessible(member)
  })

  test('a muted person is out of the list and of the number for an hour', async () => {
    await propose(['unset', 'LOG_LEVEL', '--bundle', 'dev/worker'])
    await owner.reload()
    await owner.getByRole('button', { name: 'Mute kim for an hour' }).click()
    await owner.getByText('kim is muted for an hour.').waitFor()
    await owner.getByRole('link', { name: 'Waiting for you', exact: true }).waitFor()
    await owner.getByRole('button', { name: 'Show' }).click()
    await owner.getByRole('link', { name: 'Waiting for you: 1' }).waitFor()
  })

  test('a member reads that owners decide', async () => {
    await owner.getByRole('link', { name: 'Review' }).click()
    await heading(owner, 'Change request for dev/worker')
    await member.goto(owner.url())
    await member.getByText('Only owners of the workspace see what a change request would do.').waitFor()
    expect(await member.getByRole('button', { name: 'Store' }).count()).toBe(0)
  })
})

/** What the notifications of a page show, with the permission to show them. */
async function noteNotifications(page: Page): Promise<string[]> {
  const noted: string[] = []
  await page.exposeFunction('note', (text: string) => noted.push(text))
  await page.addInitScript(`window.Notification = class {
    static permission = 'granted'
    constructor(...given) { note(JSON.stringify(given)) }
    addEventListener(event, act) { if (event === 'click') window.pressNotification = act }
    close() { note('closed') }
  }`)
  return noted
}
