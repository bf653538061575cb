import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACCOUNTS, sessionHeaders, setUpOwner } from './app-accounts.ts'
import { createLibrary } from './app-library.ts'
import { type Answer, Attacker, CarelessApprover, returnedSecret, type Way } from './lure.ts'
import { type RunningServer, startServer } from './start-server.ts'

const BOUND = 'dev/app'
const LOCAL = 'prod/shop/app'
// The rules of a bundle follow its values into other bundles, so the two deliver different ones here.
const keyOf = (bundle: string) => (bundle === LOCAL ? 'STRIPE_SECRET_KEY' : 'DATABASE_URL')
const valuesOf = (bundle: string) => ({ [keyOf(bundle)]: `planted-${keyOf(bundle).toLowerCase()}` })
const BY_LOOPBACK = { status: 'held', held: { by: 'loopback' } }

describe('a lure, against a hosted server that binds approvals', () => {
  let server: RunningServer
  let victim: CarelessApprover
  let bundles: ReadonlyMap<string, string>
  let over: AbortController

  beforeAll(async () => {
    const env = { ...ACCOUNTS, TRUST_PROXY: '127.0.0.1', APPROVAL_ASSURANCE: 'bound' }
    server = await startServer({ env })
    const headers = sessionHeaders(server.url, await setUpOwner(server.url))
    victim = new CarelessApprover(server.url, headers)
    bundles = (await createLibrary(server.url, undefined, headers)).bundles
    const changed = await fetch(`${server.url}/api/v1/bundles/${bundles.get(LOCAL)}/policy`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ assurance: 'local' }),
    })
    expect(changed.status).toBe(200)
  })
  afterAll(async () => await server?.dispose())
  beforeEach(() => {
    over = new AbortController()
  })
  afterEach(() => over.abort())

  /** A request of an attacker who waits for its end, and the clicks of the victim on it. */
  async function lure(release: readonly Way[], name = BOUND) {
    const attacker = new Attacker(server.url)
    const id = await attacker.ask(name, release)
    const click = async (way?: Way) => {
      const bundle = bundles.get(name) ?? ''
      return await victim.approve(id, {
        bundle,
        keys: [keyOf(name)],
        ...(way === undefined ? {} : { release: way }),
      })
    }
    return { attacker, id, click, end: attacker.waitToTheEnd(id, over.signal) }
  }

  test.each([BOUND, LOCAL])(
    'from a client of the published interface, for %s: the click is refused',
    async (name) => {
      const { attacker, id, click } = await lure([], name)
      for (const way of [undefined, 'loopback', 'code'] as const)
        expect(await click(way)).toMatchObject({ status: 403, body: { code: 'release_required' } })
      expect((await attacker.context(id)).body).toMatchObject({ status: 'pending', held: null })
      expectNothing(attacker)
    },
  )

  test('that offers loopback: nothing is delivered, and what is pasted after eleven seconds is late', async () => {
    const { attacker, id, click } = await lure(['loopback', 'code'])
    const approved = await click('loopback')
    expect(approved.body).toMatchObject({ release: { by: 'loopback', expires_in: 10 } })
    expect((await attacker.context(id)).body).toMatchObject(BY_LOOPBACK)
    await sleep(11_000) // The clock of the server is not in the hand of the test; longer is as good.
    expectNothing(attacker, approved)
    const late = await attacker.release(id, returnedSecret(approved))
    expect(late).toMatchObject({ status: 409, body: { code: 'release_expired' } })
    expect((await click('loopback')).status).toBe(409)
    expectNothing(attacker)
  })

  test('that offers loopback: guesses do not release it, however many', async () => {
    const { attacker, id, click } = await lure(['loopback'], LOCAL)
    await click('loopback')
    const statuses = []
    for (let guess = 0; guess < 12; guess++)
      statuses.push((await attacker.release(id, 'A'.repeat(43))).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429, 429])
    expectNothing(attacker)
  })

  test('that offers a code only: refused where approvals must come back on the same computer', async () => {
    const { attacker, click } = await lure(['code'], LOCAL)
    for (const way of [undefined, 'code'] as const)
      expect(await click(way)).toMatchObject({ status: 403, body: { code: 'release_required' } })
    expectNothing(attacker)
  })

  test('that offers loopback first and wants a code then: none where only the same computer counts', async () => {
    const { attacker, id, click } = await lure(['loopback', 'code'], LOCAL)
    expect((await click('code')).status).toBe(403)
    expect((await click('loopback')).status).toBe(200)
    expect((await victim.freshCode(id)).status).toBe(403)
    expectNothing(attacker)
  })

  test('that offers a code: a silent victim gives nothing, and the third guess ends it', async () => {
    const { attacker, id, click, end } = await lure(['code'])
    const approved = await click('code')
    expectNothing(attacker, approved)
    const code = returnedSecret(approved)
    const guesses = ['000 000', '111 111', '222 222', '333 333'].filter((guess) => guess !== code).slice(0, 3)
    for (const guess of guesses) expect((await attacker.release(id, guess)).status).toBe(400)
    expect((await attacker.release(id, code)).body).toMatchObject({ code: 'request_denied' })
    expect(await end).toMatchObject({ status: 404, body: { code: 'request_denied' } })
    expectNothing(attacker)
  })

  test('for names, that offers a return: no name leaves before the approval is back', async () => {
    for (const [bundle, release] of [
      [BOUND, 'loopback'],
      [BOUND, 'code'],
    ] as const) {
      const attacker = new Attacker(server.url)
      const { id } = await attacker.askForNames(bundle)
      const choice = { bundle_id: bundles.get(bundle) ?? '' }
      expect(await victim.approveNames(id, choice)).toMatchObject({ body: { code: 'release_required' } })
      const approved = await victim.approveNames(id, { ...choice, release })
      expect(approved.status).toBe(200)
      for (const guess of ['000 001', 'A'.repeat(43)])
        expect((await attacker.release(id, guess)).status).toBe(400)
      expect((await attacker.context(id)).body).toMatchObject({ status: 'held' })
      if (release === 'code')
        expect((await attacker.wait(id, 'none')).body).toMatchObject({ needs: 'release' })
      expectNothing(attacker, approved)
    }
  })

  test('for names, from a client that takes no approval back: the click is refused', async () => {
    const attacker = new Attacker(server.url)
    const { id } = await attacker.askForNames(LOCAL, { release: [] })
    const clicked = await victim.approveNames(id, { bundle_id: bundles.get(LOCAL) ?? '' })
    expect(clicked).toMatchObject({ status: 403, body: { code: 'release_required' } })
    expectNothing(attacker)
  })

  // What remains, so that the threat model says it as long as it is so.
  test('remains: a victim who reads the code to the attacker gives the values away', async () => {
    const { attacker, id, click, end } = await lure(['code'])
    const approved = await click('code')
    expect((await attacker.release(id, returnedSecret(approved))).status).toBe(200)
    expect(attacker.opened((await end) ?? approved)).toEqual(valuesOf(BOUND))
  })

  test('remains: so does a program on the victim’s computer that gets the secret within ten seconds', async () => {
    const { attacker, id, click, end } = await lure(['loopback'], LOCAL)
    const approved = await click('loopback')
    expect((await attacker.release(id, returnedSecret(approved))).status).toBe(200)
    expect(attacker.opened((await end) ?? approved)).toEqual(valuesOf(LOCAL))
  })
})

/** The attacker has no box, and nothing of what the victim's page was given. */
function expectNothing(attacker: Attacker, approved?: Answer): void {
  expect(attacker.hasBox).toBe(false)
  if (approved) expect(JSON.stringify(attacker.received)).not.toContain(returnedSecret(approved))
}
