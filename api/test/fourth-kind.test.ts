import { randomUUID } from 'node:crypto'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { FailingSteps } from '@keyferry/plumbing/failing-steps'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { testRedis } from '../../plumbing/test/redis-server.ts'
import { eventually } from '../../plumbing/test/until.ts'
import { decide } from '../src/domain/approvals/decision.ts'
import { endingOf, removeApprovalsOf } from '../src/domain/approvals/ending.ts'
import { waitForApproval } from '../src/domain/collection/request-wait.ts'
import { endExpired } from '../src/domain/endings/expiry.ts'
import { freshCode, releaseRequest } from '../src/domain/endings/release.ts'
import { deny, withdrawRequest } from '../src/domain/endings/request-end.ts'
import { createBundle } from '../src/domain/library/bundle-change.ts'
import { newRequestState } from '../src/domain/requests/stored-request.ts'
import { readyDatabase, ringOf } from '../src/maintenance.ts'
import { openStores } from '../src/recorded-stores.ts'
import { openRequesting } from '../src/requesting.ts'
import { openShortLived } from '../src/short-lived.ts'
import { touchPartsOf } from '../src/touch-parts.ts'
import { secretOf } from './returning-client.ts'
import { sampleRequest } from './sample-request.ts'
import { testSettings } from './test-settings.ts'
import { TICKET, type Tickets, ticketEndings } from './ticket-kind.ts'

const redis = await testRedis()
const clock = { now: () => new Date(), newId: randomUUID, newToken: randomUUID }
const log = pino({ level: 'silent' })

const PLACES = [
  { place: 'SQLite', redisUrl: null, databaseUrl: async () => null },
  ...(redis ? [{ place: 'Redis and PostgreSQL', redisUrl: redis.url, databaseUrl: freshPostgres }] : []),
]

async function openParts({ redisUrl, databaseUrl }: Omit<(typeof PLACES)[number], 'place'>) {
  const opened = new AsyncDisposableStack()
  const settings = testSettings({ redisUrl, databaseUrl: await databaseUrl() })
  const database = opened.adopt(await readyDatabase(settings, clock.now().toISOString()), (it) => it.close())
  const shortLived = opened.adopt(await openShortLived(settings, { clock, log }), (it) => it.close())
  const { stores, queries, library } = await openStores(opened, {
    settings,
    database,
    shortLived,
    steps: new FailingSteps(),
    clockSteps: { isAhead: () => false },
    clock,
    log,
  })
  const requesting = openRequesting(opened, { settings, queries, library, shortLived, clock })
  const tickets: Tickets = new Map()
  const about = {
    clock,
    tickets,
    endings: ticketEndings(tickets),
    isLocal: false,
    waitingSeconds: 1_800,
  } as const
  const { takeTouch } = shortLived
  const parts = {
    touchParts: touchPartsOf({ stores, ring: ringOf(settings), settings, clock, takeTouch }),
    ...shortLived,
    ...requesting,
    stores,
    assurance: 'compat',
    ...about,
  } as const
  return { opened, parts }
}

async function newCaller({ stores }: Awaited<ReturnType<typeof openParts>>['parts']) {
  const [id, tenantId] = [randomUUID(), randomUUID()]
  const email = { email: `${id}@example.com`, email_verified: true, email_as_of: null }
  const user = { id, idp_user_id: id, ...email, auth_provider: 'local', username: id, password_hash: null }
  const workspace = { id: tenantId, name: 'Team', membershipId: randomUUID() }
  await stores.users.insertWithWorkspace(user, workspace, { at: clock.now().toISOString(), origin: null })
  return { userId: id, tenantId, role: 'owner', reach: null, origin: {} } as const
}

describe.each(PLACES)('a fourth kind of approval, on $place', (place) => {
  let world: Awaited<ReturnType<typeof openParts>>
  let caller: Awaited<ReturnType<typeof newCaller>>
  let bundle_id: string
  beforeAll(async () => {
    world = await openParts(place)
    caller = await newCaller(world.parts)
    const draft = { name: 'dev/app', description: '', tags: '' }
    bundle_id = (await createBundle(world.parts.stores.bundles, caller, { draft, clock })).id
  })
  afterAll(() => world.opened.disposeAsync())
  beforeEach(() => world.parts.tickets.clear())

  const client = generateKeyPair()
  const verifier = generatePollVerifier()
  const asked = async (expiresAtMs = Date.now() + 60_000) => {
    const request = sampleRequest({
      publicKey: Buffer.from(client.publicKey).toString('base64'),
      pollChallenge: pollChallenge(verifier),
      release: ['loopback', 'code'],
      expiresAtMs,
    })
    await world.parts.requests.insert(newRequestState(request), null, Date.now())
    return { request, claimant: { requestId: request.id, verifier } }
  }
  const approve = async (requestId: string, release?: 'code' | 'loopback') => {
    const deciding = { kind: TICKET, act: 'test', requestId, choice: { bundle_id, release } }
    return secretOf(await decide(world.parts, caller, deciding))
  }
  const release = ({ claimant }: Awaited<ReturnType<typeof asked>>, secret: string) =>
    releaseRequest(world.parts, claimant, { secret, origin: {} })
  const collects = async ({ claimant }: Awaited<ReturnType<typeof asked>>) => {
    const wait = await waitForApproval(world.parts, { ...claimant, onBreak: () => {} })
    if (wait.status !== 'ready' || wait.approved === null) throw new Error('not ready')
    const ending = endingOf(world.parts, wait.approved)
    const claim = { requestId: claimant.requestId, claimId: wait.claimId }
    world.parts.deliveries.of(claim, async (own) => await ending.collected?.(own, {})).delivered()
    await world.parts.deliveries.settled()
    return Buffer.from(open(Buffer.from(wait.ciphertextBase64, 'base64'), client)).toString()
  }
  const became = () => [...world.parts.tickets.values()].map((states) => states.join(', '))

  test('is collected once', async () => {
    const asking = await asked()
    await approve(asking.request.id)
    expect(world.parts.tickets.has(await collects(asking))).toBe(true)
    expect(became()).toEqual(['approved, collected'])
    await expect(collects(asking)).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each(['code', 'loopback'] as const)('is held until it returns by %s', async (way) => {
    const asking = await asked()
    const secret = await approve(asking.request.id, way)
    expect(became()).toEqual(['approved'])
    await release(asking, secret)
    await collects(asking)
    expect(became()).toEqual([`approved, returned by ${way}, collected`])
  })

  test('returns by a fresh code', async () => {
    const asking = await asked()
    await approve(asking.request.id, 'loopback')
    const fresh = await freshCode(world.parts, caller, { requestId: asking.request.id, touch: undefined })
    await release(asking, secretOf({ release: fresh }))
    await collects(asking)
    expect(became()).toEqual(['approved, returned by code, collected'])
  })

  test('is denied, withdrawn, or ended by the third wrong code while it is held', async () => {
    const [denied, withdrawn, guessed] = [await asked(), await asked(), await asked()]
    for (const { request } of [denied, withdrawn, guessed]) await approve(request.id, 'code')
    await deny(world.parts, caller, { requestId: denied.request.id })
    await withdrawRequest(world.parts, withdrawn.claimant, {})
    for (const left of [2, 1, 0]) {
      const refused = { code: 'release_wrong', details: { attempts_left: left } }
      await expect(release(guessed, 'BCDF-GHJK')).rejects.toMatchObject(refused)
    }
    await world.parts.deliveries.settled()
    const ends = ['denied', 'withdrawn', 'wrong_code'].map((reason) => `approved, ${reason} while held`)
    expect(became()).toEqual(ends)
    for (const { claimant } of [denied, guessed]) {
      const wait = waitForApproval(world.parts, { ...claimant, onBreak: () => {} })
      await expect(wait).rejects.toMatchObject({ code: 'request_denied' })
    }
  })

  test('expires, held or not, and is not collected after that', async () => {
    // Long enough for two approvals on a busy machine.
    const expiresAtMs = Date.now() + 5_000
    const [held, given] = [await asked(expiresAtMs), await asked(expiresAtMs)]
    await approve(held.request.id, 'code')
    await approve(given.request.id)
    await eventually(async () => {
      await endExpired(world.parts)
      expect(became().toSorted()).toEqual(['approved, expired', 'approved, expired while held'])
    })
    for (const asking of [held, given]) {
      await expect(collects(asking)).rejects.toMatchObject({ code: 'request_expired' })
    }
  })

  test('of two at once one is given, and the other leaves nothing', async () => {
    const { request } = await asked()
    const both = await Promise.allSettled([approve(request.id), approve(request.id)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(became()).toEqual(['approved'])
  })

  test('is gone when its approver is removed', async () => {
    const asking = await asked()
    await approve(asking.request.id)
    const { userId, tenantId } = caller
    await world.parts.together((own) => removeApprovalsOf(own, world.parts, { userId, tenantId }))
    await expect(collects(asking)).rejects.toMatchObject({ code: 'not_found' })
  })
})

afterAll(() => redis?.stop())
