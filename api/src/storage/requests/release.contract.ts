import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestActs } from '../../../test/request-acts.ts'
import { type Deciding, SEALED, sampleRequest, sampleSupport, sealing } from '../../../test/sample-request.ts'
import type { Approved } from '../../domain/requests/approved.ts'
import type { Hold } from '../../domain/requests/stored-request.ts'
import type { OpenedStores } from './request-store.contract.ts'

const T0 = Date.now()
const LIFETIME_MS = 300_000
const LIMIT = 3

const approvalOf = (approverId: string, tenantId = 'tenant'): Approved => ({
  kind: 'delivery',
  approverId,
  tenant: { id: tenantId, name: 'Team' },
  bundle: { id: 'bundle', name: 'dev/app' },
  missingRequired: [],
  deliveryId: 'd1',
  versions: [],
  expired: [],
  receipt: { kid: 'k', payload: 'e30=', signature: 'c2ln' },
  remember: null,
})

const sealedBy = (approverId: string) => ({
  ciphertextBase64: 'c2VhbGVk',
  approved: approvalOf(approverId),
})

const hold = (changes: Partial<Hold> = {}): Hold => ({
  by: 'code',
  hash: 'right',
  untilMs: T0 + 10_000,
  ...changes,
})

const firstOf = (userId: string) => sampleSupport({ userId, username: userId })

const firstStep = (userId: string, changes: Partial<Deciding> = {}): Deciding =>
  sealing({ first: firstOf(userId), ciphertextBase64: null, ...changes })

const release = (store: RequestActs, id: string, hash = 'right', nowMs = T0) =>
  store.release(id, { hash, limit: LIMIT }, nowMs)

/** How requests are held and released, and how two people approve; run on each implementation. */
export function releaseContract(name: string, open: () => Promise<OpenedStores>): void {
  describe(`releases: ${name}`, () => {
    let stores: OpenedStores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    const created = async () => {
      const made = sampleRequest({ expiresAtMs: T0 + LIFETIME_MS, release: ['loopback', 'code'] })
      await stores.here.create(made, T0)
      return made.id
    }
    const held = async (changes: Partial<Hold> = {}, approverId = 'sam') => {
      const id = await created()
      const step = sealing({ ...sealedBy(approverId), hold: hold(changes) })
      expect(await stores.here.approve(id, step, T0)).toBe('done')
      return id
    }
    const statusOf = async (id: string) => (await stores.there.find(id, T0))?.status

    test('a held request tells how it is held, and cannot be claimed or approved', async () => {
      const id = await held()
      const stored = await stores.there.find(id, T0)
      expect(stored).toMatchObject({
        status: 'held',
        held: { by: 'code', untilMs: T0 + 10_000, support: null },
        approval: { approved: approvalOf('sam'), returned: null },
      })
      expect(await stores.there.claim(id, T0)).toEqual({ status: 'held' })
      expect(await stores.there.approve(id, sealing(sealedBy('kim')), T0)).toBe('given')
    })

    test('the right secret makes a held request ready, once, with what was sealed', async () => {
      const id = await held()
      expect(await release(stores.there, id)).toEqual({ status: 'returned' })
      expect(await stores.here.find(id, T0)).toMatchObject({
        status: 'given',
        approval: { returned: 'code' },
      })
      expect(await release(stores.there, id)).toEqual({ status: 'not_held' })
      expect(await stores.here.claim(id, T0)).toEqual({ status: 'claimed', ...sealedBy('sam') })
    })

    test('the approval of a list of names is held, gets a fresh code, and is released', async () => {
      const id = await created()
      const approved: Approved = {
        kind: 'names',
        approverId: 'sam',
        tenant: { id: 'tenant', name: 'Team' },
        target: { kind: 'bundle', id: 'bundle', name: 'dev/app' },
        assurance: 'bound',
      }
      await stores.here.approve(id, sealing({ approved, hold: hold({ by: 'loopback' }) }), T0)
      const code = { replaces: 'right', hash: 'fresh', untilMs: T0 + 20_000, limit: 3 }
      expect(await stores.there.renewCode(id, { ...code, approved }, T0)).toBe(true)
      expect(await stores.here.find(id, T0)).toMatchObject({ status: 'held', approval: { approved } })
      expect(await release(stores.there, id, 'fresh')).toEqual({ status: 'returned' })
      const claim = { status: 'claimed', ciphertextBase64: SEALED, approved }
      expect(await stores.here.claim(id, T0)).toEqual(claim)
    })

    test('of 30 releases at once over both nodes exactly one wins', async () => {
      const id = await held()
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) => release(n % 2 ? stores.here : stores.there, id)),
      )
      expect(answers.filter(({ status }) => status === 'returned')).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 'not_held')).toHaveLength(29)
    })

    test('the third wrong code denies, over all nodes, and the right one then comes too late', async () => {
      const id = await held()
      expect(await release(stores.here, id, 'wrong')).toEqual({ status: 'wrong', attemptsLeft: 2 })
      expect(await release(stores.there, id, 'wrong')).toEqual({ status: 'wrong', attemptsLeft: 1 })
      expect(await release(stores.here, id, 'wrong')).toEqual({ status: 'wrong', attemptsLeft: 0 })
      expect(await release(stores.there, id)).toEqual({ status: 'denied' })
      expect(await stores.here.claim(id, T0)).toEqual({ status: 'denied' })
    })

    test('a wrong loopback secret never counts', async () => {
      const id = await held({ by: 'loopback' })
      for (let n = 0; n < 5; n++)
        expect(await release(stores.here, id, 'wrong')).toEqual({ status: 'wrong', attemptsLeft: LIMIT })
      expect(await release(stores.there, id)).toEqual({ status: 'returned' })
    })

    test('of the third wrong code and the right one at once, one wins', async () => {
      for (let round = 0; round < 20; round++) {
        const id = await held()
        await release(stores.here, id, 'wrong')
        await release(stores.here, id, 'wrong')
        const acts = [() => release(stores.here, id), () => release(stores.there, id, 'wrong')]
        if (round % 2) acts.reverse()
        const answers = await Promise.all(acts.map((act) => act()))
        const isReleased = answers.some(({ status }) => status === 'returned')
        expect(await statusOf(id)).toBe(isReleased ? 'given' : 'denied')
      }
    })

    test('a release after its time is late, and the request stays held', async () => {
      const id = await held()
      expect(await release(stores.there, id, 'right', T0 + 10_000)).toEqual({ status: 'late' })
      expect(await release(stores.there, id, 'right', T0 + 9_999)).toEqual({ status: 'returned' })
    })

    test('a fresh code replaces the secret, for the person who approved, a few times', async () => {
      const id = await held({ by: 'loopback' })
      const code = { replaces: 'right', hash: 'fresh', untilMs: T0 + 120_000, limit: 2 }
      const approved = { ...approvalOf('sam'), remember: null }
      const renew = (changes = {}) => stores.there.renewCode(id, { ...code, approved, ...changes }, T0)
      expect(await renew({ replaces: 'other' })).toBe(false)
      expect(await renew()).toBe(true)
      expect(await stores.here.find(id, T0)).toMatchObject({ approval: { approved }, held: { by: 'code' } })
      expect(await release(stores.here, id)).toEqual({ status: 'wrong', attemptsLeft: 2 })
      expect(await renew({ replaces: 'fresh', hash: 'last' })).toBe(true)
      expect(await renew({ replaces: 'last' })).toBe(false)
      expect(await release(stores.here, id, 'last', T0 + 100_000)).toEqual({ status: 'returned' })
      expect(await renew()).toBe(false)
    })

    test.each(['deny', 'withdraw'] as const)('%s ends a held request', async (end) => {
      const id = await held()
      expect(await stores.there[end](id, T0)).toBe('done')
      const status = end === 'deny' ? 'denied' : 'withdrawn'
      expect(await release(stores.here, id)).toEqual({ status })
      expect(await stores.here.claim(id, T0)).toEqual({ status })
    })

    test('of a release and a denial at once exactly one succeeds', async () => {
      for (let round = 0; round < 20; round++) {
        const id = await held()
        const acts = [() => release(stores.here, id), () => stores.there.deny(id, T0)]
        if (round % 2) acts.reverse()
        const answers = await Promise.all(acts.map((act) => act()))
        const isDenied = answers.includes('done')
        expect(await statusOf(id)).toBe(isDenied ? 'denied' : 'given')
        expect(isDenied).toBe(!answers.some((it) => typeof it === 'object' && it.status === 'returned'))
      }
    })

    test('neither a release nor a claim at the end of the lifetime gets what has expired', async () => {
      for (let round = 0; round < 20; round++) {
        const id = await held({ untilMs: T0 + LIFETIME_MS })
        const nowMs = T0 + LIFETIME_MS - (round % 2)
        const [released, claimed] = await Promise.all([
          release(stores.here, id, 'right', nowMs),
          stores.there.claim(id, T0 + LIFETIME_MS),
        ])
        expect(released.status).toBe(round % 2 ? 'returned' : 'gone')
        expect(claimed).toEqual({ status: 'gone' })
        expect(await stores.there.claim(id, T0 + LIFETIME_MS)).toEqual({ status: 'gone' })
      }
    })

    test('a held request expires like any other', async () => {
      const id = await held({ untilMs: T0 + LIFETIME_MS })
      const ends = T0 + LIFETIME_MS
      expect(await stores.here.find(id, ends)).toBeNull()
      expect(await release(stores.here, id, 'right', ends)).toEqual({ status: 'gone' })
      expect(await stores.here.claim(id, ends)).toEqual({ status: 'gone' })
      expect(await stores.there.hasExpired(id, ends)).toBe(true)
    })

    test('removing the approver removes a held approval', async () => {
      const approverId = `user-${Math.random()}`
      const id = await held({}, approverId)
      await stores.there.removeApprovedBy({ userId: approverId, tenantId: 'elsewhere' }, T0)
      expect(await statusOf(id)).toBe('held')
      await stores.there.removeApprovedBy({ userId: approverId, tenantId: 'tenant' }, T0)
      expect(await stores.here.find(id, T0)).toBeNull()
      expect(await release(stores.here, id)).toEqual({ status: 'gone' })
    })

    test('a first approval seals nothing, and the second must know of it', async () => {
      const id = await created()
      expect(await stores.here.approve(id, firstStep('sam'), T0)).toBe('done')
      expect(await stores.there.find(id, T0)).toMatchObject({
        status: 'open',
        first: firstOf('sam'),
      })
      expect(await stores.there.claim(id, T0)).toEqual({ status: 'open' })
      expect(await stores.there.approve(id, sealing(sealedBy('kim')), T0)).toBe('changed')
      expect(await stores.there.approve(id, sealing({ ...sealedBy('kim'), after: 'sam' }), T0)).toBe('done')
      expect((await stores.here.find(id, T0))?.first).toEqual(firstOf('sam'))
      expect((await stores.here.claim(id, T0)).status).toBe('claimed')
    })

    test('of 20 first approvals at once exactly one is the first', async () => {
      const id = await created()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 ? stores.here : stores.there).approve(id, firstStep(`user${n}`), T0),
        ),
      )
      expect(answers.filter((answer) => answer === 'done')).toHaveLength(1)
      expect(answers.filter((answer) => answer === 'changed')).toHaveLength(19)
      const first = (await stores.there.find(id, T0))?.first
      expect(first?.userId).toBe(`user${answers.indexOf('done')}`)
    })

    test('a first approval can be held too; its release makes the request wait for the second person', async () => {
      const id = await created()
      await stores.here.approve(id, firstStep('sam', { hold: hold({ by: 'loopback' }) }), T0)
      expect(await stores.there.claim(id, T0)).toEqual({ status: 'held' })
      expect(await release(stores.there, id)).toEqual({ status: 'returned' })
      expect(await stores.here.find(id, T0)).toMatchObject({
        status: 'open',
        first: { returned: 'loopback' },
      })
      expect(await stores.here.approve(id, sealing({ ...sealedBy('kim'), after: 'sam' }), T0)).toBe('done')
      expect((await stores.there.claim(id, T0)).status).toBe('claimed')
    })

    test('when the first approver is removed, two people must approve again', async () => {
      const approverId = `user-${Math.random()}`
      for (const step of [firstStep(approverId), firstStep(approverId, { hold: hold() })]) {
        const id = await created()
        await stores.here.approve(id, step, T0)
        await stores.there.removeApprovedBy({ userId: approverId, tenantId: 'tenant' }, T0)
        expect(await stores.here.find(id, T0)).toMatchObject({ status: 'open', first: null })
        expect(await stores.here.approve(id, sealing({ ...sealedBy('kim'), after: approverId }), T0)).toBe(
          'changed',
        )
        expect(await stores.here.approve(id, firstStep('kim'), T0)).toBe('done')
      }
    })

    test('removing either of two approvers removes their approval, unless it was delivered', async () => {
      const [first, second] = [`first-${Math.random()}`, `second-${Math.random()}`]
      for (const leaver of [first, second]) {
        const id = await created()
        await stores.here.approve(id, firstStep(first), T0)
        await stores.here.approve(id, sealing({ ...sealedBy(second), after: first }), T0)
        await stores.there.removeApprovedBy({ userId: leaver, tenantId: null }, T0)
        expect(await stores.here.find(id, T0)).toBeNull()
      }
    })

    test.each<[string, (id: string) => Promise<unknown>]>([
      ['a release', (id) => release(stores.here, id)],
      ['a denial', (id) => stores.here.deny(id, T0)],
      [
        'a fresh code',
        (id) =>
          stores.here.renewCode(
            id,
            { replaces: 'right', hash: 'h', untilMs: T0 + 1, limit: 1, approved: null },
            T0,
          ),
      ],
    ])('%s rings the bell on every node', async (_, act) => {
      const id = await held()
      const rings = [stores.here, stores.there].map(
        (store) => new Promise<void>((resolve) => store.watch(id, resolve)),
      )
      await act(id)
      await Promise.all(rings)
    })
  })
}
