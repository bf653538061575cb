import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CallError } from '@keyferry/contract/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE_MS } from '../plumbing/test/until.ts'
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
import { Attacker } from './lure.ts'
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
  })

  afterAll(async () => {
    for (const page of [owner, developer, other]) await closePage(page)
    await world?.close()
  })

  async function joined(email: string): Promise<WatchedPage> {
    const invited = { email, role: 'member' } as const
    const { accept_path } = await clientIn(owner)('POST', '/api/v1/invitations', { body: invited })
    return await joinInBrowser(world.browser, world.server.url + accept_path)
  }

  async function rules(body: {
    approvers?: 'owner' | null
    approvals_needed?: 2 | null
    assurance?: 'local' | null
  }): Promise<void> {
    const call = clientIn(owner)
    const bundles = await call('GET', '/api/v1/bundles', { query: { query: 'dev/worker' } })
    const params = { bundle_id: bundles[0]?.id ?? '' }
    await call('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body })
  }

  /** Where the vouch does not count, a link stays a warning. */
  async function isWarned(link: string): Promise<void> {
    await rules({ assurance: 'local' })
    await owner.goto(`${link}?from=link`)
    await owner.getByText('This does not count under the rules of these variables').waitFor()
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
    await owner.getByText('kim asks you to approve 3 variables of dev/worker').waitFor()
    await owner.getByRole('link', { name: 'Review' }).click()
    await owner.getByText('says that this is their terminal.').waitFor()
    expect(await owner.getByRole('region', { name: 'Check code' }).count()).toBe(0)
    expect(await owner.getByText('A web page linked you here').count()).toBe(0)
    await expectAccessible(owner)
    await readRequest(owner)
    await owner.getByRole('button', { name: /^Approve|: approve/ }).click()
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
    await nothingWaits(other)
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
    const [link] = await terminal.appears(/http:\/\/127\.0\.0\.1:\d+\/a\/[\w-]{22}/)
    await developer.goto(link)
    await asks()
    await developer.getByRole('heading', { name: 'Type this code into your terminal' }).waitFor()
    const code = await developer.locator('p.text-code').innerText()
    await terminal.appears(/six digits from the page: /)
    terminal.type(`${code}\n`)
    await developer.getByRole('heading', { name: 'Asked for approval' }).waitFor()
    await isWarned(link)
    await approves()
    expect(await terminal.exit).toBe(0)
  })

  test('two people: the first approval returned to its terminal, so the second needs no code', async () => {
    await rules({ approvers: null, approvals_needed: 2 })
    const terminal = world.client(['run', 'dev/worker', '--', 'true'])
    await developer.goto(await world.opened.next())
    await readRequest(developer)
    await developer.getByRole('button', { name: 'Approve, first of two' }).click()
    await terminal.appears(/aiting for a second person/)
    await other.goto(`${world.server.url}/waiting`)
    await other.getByText('a second person must approve').waitFor()
    await other.getByRole('link', { name: 'Review' }).click()
    await other.getByText('approved these variables first.').waitFor()
    expect(await other.getByRole('region', { name: 'Check code' }).count()).toBe(0)
    expect(await other.getByText('A web page linked you here').count()).toBe(0)
    await expectAccessible(other)
    await readRequest(other)
    await other.getByRole('button', { name: /^Approve|: approve/ }).click()
    expect(await terminal.exit).toBe(0)
    await rules({ approvers: 'owner', approvals_needed: null })
  })

  /** A request that waits for others, of a client that the attacker wrote. `argv`: what it says to be. */
  async function lure(argv: string[] = ['keyferry', 'pull', 'dev/worker']) {
    const attacker = new Attacker(world.server.url)
    const id = await attacker.ask('dev/worker', ['loopback', 'code'], { waits_for_others: true, argv })
    return { attacker, id }
  }

  test('lure: a member who vouches for everything gives an attacker nothing that no terminal took back', async () => {
    for (const way of ['loopback', 'code'] as const) {
      const { attacker, id } = await lure()
      const { secret, ...chosen } = await vouches(other, id, way)
      const guesses = way === 'code' ? ['000 000'] : ['A'.repeat(43), '000 000']
      for (const guess of guesses) expect((await attacker.release(id, guess)).status).toBe(400)
      expect(await approval(owner, { request_id: id }, chosen)).toBe('409 conflict')
      await owner.goto(`${world.server.url}/waiting`)
      await nothingWaits(owner)
      await owner.goto(`${world.server.url}/approve/${id}`)
      await owner.getByRole('button', { name: 'Deny' }).waitFor()
      expect(await owner.getByRole('button', { name: /^Approve|: approve/ }).count()).toBe(0)
      expect(attacker.hasBox).toBe(false)
      expect(JSON.stringify(attacker.received)).not.toContain(secret)
      await clientIn(owner)('DELETE', '/api/v1/requests/{request_id}', { params: { request_id: id } })
    }
  })

  test('lure: a workspace with a bundle of the same name takes no request that a member vouched for', async () => {
    const { attacker, id } = await lure()
    const ofKim = await vouches(developer, id)
    expect((await attacker.release(id, ofKim.secret)).status).toBe(200)
    const call = clientIn(other)
    const home = await call('POST', '/api/v1/tenants', { body: { name: "lee's workspace" } })
    const headers = { 'keyferry-workspace': home.id }
    const own = { name: 'dev/worker', entries: [{ name: 'LOG_LEVEL', value: 'planted' }] }
    const { bundle_id } = await call('POST', '/api/v1/imports', {
      body: { bundle: own.name, entries: own.entries },
      headers,
    })
    const body = { bundle_id: bundle_id ?? '', include_keys: ['LOG_LEVEL'] }
    expect(await approval(other, { request_id: id }, body, headers)).toBe('403 forbidden')
    expect(await refusal(vouches(other, id, 'loopback', headers))).toBe('403 forbidden')
    const denial = call('DELETE', '/api/v1/requests/{request_id}', { params: { request_id: id }, headers })
    expect(await refusal(denial)).toBe('403 forbidden')
    await owner.goto(`${world.server.url}/waiting`)
    await owner.getByText('kim asks you to approve 1 variable of dev/worker').waitFor()
    await owner.getByRole('link', { name: 'Review' }).click()
    await readRequest(owner)
    await owner.getByRole('button', { name: /^Approve|: approve/ }).click()
    const delivered = await attacker.waitToTheEnd(id, AbortSignal.timeout(PATIENCE_MS))
    expect(delivered && attacker.opened(delivered)).toEqual({ LOG_LEVEL: 'info' })
  })

  test('lure: a member who attacks gets no more keys, no other bundle and no nearer way than they vouched for', async () => {
    const { attacker, id } = await lure()
    const { secret, ...chosen } = await vouches(other, id, 'code')
    expect((await attacker.release(id, secret)).status).toBe(200)
    const to = { request_id: id }
    const [app] = await clientIn(owner)('GET', '/api/v1/bundles', { query: { query: 'dev/app' } })
    const more = { ...chosen, include_keys: ['LOG_LEVEL', 'DATABASE_URL'] }
    expect(await approval(other, to, chosen)).toBe('403 owner_approves')
    expect(await approval(owner, to, more)).toBe('403 release_required')
    expect(await approval(owner, to, { ...chosen, bundle_id: app?.id ?? '' })).toBe('403 release_required')
    await rules({ assurance: 'local' })
    expect(await approval(owner, to, chosen)).toBe('403 release_required')
    await rules({ assurance: null })
    expect(await refusal(vouches(developer, id))).toBe('409 conflict')
    expect(attacker.hasBox).toBe(false)
    await clientIn(owner)('DELETE', '/api/v1/requests/{request_id}', { params: to })
  })

  test('lure: a flood of requests hides nobody’s: three of one person, whom the owner mutes', async () => {
    const flooding = async (number: number) => {
      const { attacker, id } = await lure(['keyferry', 'run', 'dev/worker', '--', `step-${number}`])
      const { secret } = await vouches(other, id)
      expect((await attacker.release(id, secret)).status).toBe(200)
    }
    for (const number of [1, 2, 3]) await flooding(number)
    for (const number of [4, 5]) expect(await refusal(flooding(number))).toBe('429 too_many')
    const { attacker, id } = await lure()
    expect((await attacker.release(id, (await vouches(developer, id)).secret)).status).toBe(200)
    await owner.goto(`${world.server.url}/waiting`)
    const ofLee = owner.getByText('lee asks you to approve')
    await expect.poll(() => ofLee.count()).toBe(3)
    await owner.getByRole('button', { name: 'Mute lee for an hour' }).first().click()
    await ofLee.first().waitFor({ state: 'detached' })
    await owner.getByText('lee is muted for an hour.').waitFor()
    await owner.getByText('kim asks you to approve 1 variable of dev/worker').waitFor()
    await expectAccessible(owner)
  })
})

/** The cards of what waits come with the table. */
async function nothingWaits(page: WatchedPage): Promise<void> {
  await page.getByRole('searchbox', { name: 'Filter applications' }).waitFor()
  await page.getByRole('table').first().waitFor()
  expect(await page.getByRole('region', { name: 'Waiting for you' }).count()).toBe(0)
}

type Headers = Readonly<Record<string, string>>

/** What a person's session can send, without looking: the page would say why not. */
async function vouches(
  page: WatchedPage,
  request_id: string,
  release: 'loopback' | 'code' = 'loopback',
  headers: Headers = {},
) {
  const call = clientIn(page)
  const [bundle] = await call('GET', '/api/v1/bundles', { query: { query: 'dev/worker' }, headers })
  const chosen = { bundle_id: bundle?.id ?? '', include_keys: ['LOG_LEVEL'] }
  const asked = { params: { request_id }, body: { ...chosen, release }, headers }
  const { release: back } = await call('POST', '/api/v1/requests/{request_id}/vouch', asked)
  return { ...chosen, secret: back.by === 'code' ? back.code : back.secret }
}

function approval(
  page: WatchedPage,
  params: { request_id: string },
  body: { bundle_id: string; include_keys: string[] },
  headers: Headers = {},
): Promise<string> {
  const path = '/api/v1/requests/{request_id}/encrypt-from-bundle'
  return refusal(clientIn(page)('POST', path, { params, body, headers }))
}

function refusal(calling: Promise<unknown>): Promise<string> {
  return calling.then(
    () => 'allowed',
    (error: unknown) => (error instanceof CallError ? `${error.status} ${error.code}` : String(error)),
  )
}
