import { randomRequestId } from '@keyferry/crypto/token'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestActs } from '../../../test/request-acts.ts'
import { sampleRequest, sampleSupport, sealing } from '../../../test/sample-request.ts'
import type { Approved } from '../../domain/requests/approved.ts'
import { EXPIRED_KNOWN_MS } from '../../domain/requests/request-store.ts'
import { type ApprovalRequest, newRequestState } from '../../domain/requests/stored-request.ts'
import { withdrawalContract } from './withdrawal.contract.ts'

/** Two nodes on the same requests where the store can be shared; the same store twice otherwise. */
export type OpenedStores = {
  here: RequestActs
  there: RequestActs
  /** Another store, empty, that contains at most `maxLive` requests. */
  small(maxLive: number, maxBoxBytes?: number): Promise<RequestActs>
  close(): Promise<void>
}

const LIFETIME_MS = 300_000
const T0 = Date.now()

const request = (changes: Partial<ApprovalRequest> = {}): ApprovalRequest =>
  sampleRequest({
    suggestedBundle: 'dev/app',
    suggestedWorkspace: 'Team',
    templateKeys: ['PORT', 'Ünïcode'],
    requesterMeta: {
      ip: '203.0.113.7',
      user_agent: 'keyferry/0.1.0',
      requested_at: new Date(T0).toISOString(),
      format: 'sh',
      hostname: 'laptop',
    },
    expiresAtMs: T0 + LIFETIME_MS,
    ...changes,
  })

const approval = (approverId: string, tenantId = 'tenant'): Approved => ({
  kind: 'delivery',
  approverId,
  tenant: { id: tenantId, name: 'Team' },
  bundle: { id: 'bundle', name: 'dev/app' },
  missingRequired: ['Ünïcode'],
  deliveryId: 'd1',
  versions: [{ name: 'A', version: 3 }],
  expired: [],
  receipt: { kid: 'k', payload: 'e30=', signature: 'c2ln' },
  remember: null,
})

const approvedBy = (approverId: string, tenantId?: string) => ({
  ciphertextBase64: 'c2VhbGVk',
  approved: approval(approverId, tenantId),
})

/** What every request store keeps to; run on each implementation. */
export function requestStoreContract(name: string, open: () => Promise<OpenedStores>): void {
  describe(`request store: ${name}`, () => {
    let stores: OpenedStores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    const created = async (changes: Partial<ApprovalRequest> = {}) => {
      const made = request(changes)
      await stores.here.create(made, T0)
      return made.id
    }
    const sealed = async (ciphertext = 'c2VhbGVk') => {
      const id = await created()
      expect(await stores.here.approve(id, sealing({ ciphertextBase64: ciphertext }), T0)).toBe('done')
      return id
    }
    const claimed = async () => {
      const id = await sealed()
      expect((await stores.here.claim(id, T0)).status).toBe('claimed')
      return id
    }

    test('lists what one terminal signed, the newest first', async () => {
      const deviceKey = randomRequestId()
      const first = await created({ deviceKey })
      const second = await created({ deviceKey, expiresAtMs: T0 + LIFETIME_MS + 1 })
      await created({ deviceKey: randomRequestId() })
      expect(await stores.there.ofDevice(deviceKey, T0)).toEqual([second, first])
      await stores.here.remove(second)
      expect(await stores.there.ofDevice(deviceKey, T0)).not.toContain(second)
      expect(await stores.there.ofDevice(deviceKey, T0 + LIFETIME_MS)).toEqual([])
    })

    test('requests that wait for another person of a tenant are listed, the newest first, until they go on', async () => {
      const tenantId = `tenant-${randomRequestId()}`
      const [own, next] = [await created(), await created({ expiresAtMs: T0 + LIFETIME_MS + 1 })]
      const first = sampleSupport({ tenantId })
      for (const id of [own, next]) {
        await stores.here.approve(id, sealing({ first, ciphertextBase64: null }), T0)
      }
      expect(await stores.there.waitingIn(tenantId, T0)).toEqual([next, own])
      expect(await stores.there.waitingIn('another', T0)).toEqual([])
      expect(await stores.there.waitingIn(tenantId, T0 + LIFETIME_MS)).toEqual([next])
      await stores.here.remove(own)
      expect(await stores.there.waitingIn(tenantId, T0)).toEqual([next])
    })

    test('unclaimed approvals of a user are removed on demand, and their waiters are woken', async () => {
      const [own, handedOut, other, pending] = await Promise.all([created(), created(), created(), created()])
      const approver = `user-${own}`
      await stores.here.approve(own, sealing(approvedBy(approver)), T0)
      await stores.there.approve(handedOut, sealing(approvedBy(approver)), T0)
      await stores.here.approve(other, sealing(approvedBy(`${approver}-2`)), T0)
      await stores.here.claim(handedOut, T0)
      const notified = new Promise<void>((resolve) => stores.here.watch(own, resolve))
      await stores.there.removeApprovedBy({ userId: approver, tenantId: null }, T0)
      await notified
      expect(await stores.here.find(own, T0)).toBeNull()
      expect((await stores.here.find(handedOut, T0))?.status).toBe('claimed')
      expect((await stores.here.find(other, T0))?.status).toBe('given')
      expect((await stores.here.find(pending, T0))?.status).toBe('open')
    })

    test('what a user approved in one tenant is removed without what they approved in another', async () => {
      const [here, elsewhere] = await Promise.all([created(), created()])
      const approver = `user-${here}`
      await stores.here.approve(here, sealing(approvedBy(approver, 'one')), T0)
      await stores.here.approve(elsewhere, sealing(approvedBy(approver, 'other')), T0)
      await stores.there.removeApprovedBy({ userId: approver, tenantId: 'one' }, T0)
      expect(await stores.here.find(here, T0)).toBeNull()
      expect((await stores.here.find(elsewhere, T0))?.status).toBe('given')
    })

    test('who waits for a request is woken when its delivery is recorded', async () => {
      const id = await claimed()
      const notified = new Promise<void>((resolve) => stores.here.watch(id, resolve))
      await stores.there.remove(id)
      await notified
    })

    test('a claim returns the approver and the bundle', async () => {
      const id = await created()
      await stores.here.approve(id, sealing(approvedBy('user')), T0)
      expect(await stores.there.claim(id, T0)).toEqual({ status: 'claimed', ...approvedBy('user') })
    })

    test('a created request is found as it was made, from every node', async () => {
      const made = request({ pollChallenge: 'x'.repeat(43) })
      await stores.here.create(made, T0)
      expect(await stores.there.store.read(made.id, T0)).toEqual(newRequestState(made))
    })

    test('a full store refuses a new request until one is delivered or expires', async () => {
      const store = await stores.small(3)
      const create = async (changes: Partial<ApprovalRequest> = {}, nowMs = T0) => {
        const made = request(changes)
        return { id: made.id, isKept: await store.create(made, nowMs) }
      }
      const [first] = await Promise.all([create(), create(), create({ expiresAtMs: T0 + 60_000 })])
      expect((await create()).isKept).toBe(false)
      await store.remove(first?.id ?? '')
      expect((await create()).isKept).toBe(true)
      expect((await create()).isKept).toBe(false)
      expect((await create({}, T0 + 60_000)).isKept).toBe(true)
      expect((await create({}, T0 + 60_000)).isKept).toBe(false)
    })

    test('a request of any state is known as expired for 15 minutes after its lifetime', async () => {
      const ends = T0 + LIFETIME_MS
      for (const id of [await created(), await sealed(), await claimed()]) {
        expect(await stores.there.hasExpired(id, ends - 1)).toBe(false)
        expect(await stores.there.hasExpired(id, ends)).toBe(true)
        expect(await stores.here.hasExpired(id, ends + EXPIRED_KNOWN_MS - 1)).toBe(true)
      }
    })

    test('a delivered request and one whose approver was removed have not expired', async () => {
      const [delivered, approved] = [await claimed(), await created()]
      await stores.here.remove(delivered)
      const approver = `user-${approved}`
      await stores.here.approve(approved, sealing(approvedBy(approver)), T0)
      await stores.here.removeApprovedBy({ userId: approver, tenantId: null }, T0)
      for (const id of [delivered, approved]) {
        expect(await stores.there.hasExpired(id, T0 + LIFETIME_MS)).toBe(false)
      }
    })

    test('an unknown request is gone for every step', async () => {
      const id = randomRequestId()
      expect(await stores.here.hasExpired(id, T0)).toBe(false)
      expect(await stores.here.find(id, T0)).toBeNull()
      expect(await stores.here.approve(id, sealing(), T0)).toBe('gone')
      expect(await stores.here.deny(id, T0)).toBe('gone')
      expect(await stores.here.withdraw(id, T0)).toBe('gone')
      expect(await stores.here.claim(id, T0)).toEqual({ status: 'gone' })
      expect(await stores.here.countWrongCode(id, 5, T0)).toBe(0)
      await stores.here.unclaim(id, T0)
      await stores.here.remove(id)
      expect(await stores.here.find(id, T0)).toBeNull()
    })

    test('a pending request cannot be claimed', async () => {
      expect(await stores.there.claim(await created(), T0)).toEqual({ status: 'open' })
    })

    test('a sealed request is ready, and its claim carries the ciphertext', async () => {
      const id = await sealed('Y2lwaGVydGV4dA==')
      expect((await stores.there.find(id, T0))?.status).toBe('given')
      const claim = await stores.there.claim(id, T0)
      expect(claim).toEqual({ status: 'claimed', ciphertextBase64: 'Y2lwaGVydGV4dA==', approved: null })
    })

    test('of a claimed request the next claim gets nothing', async () => {
      const id = await claimed()
      expect((await stores.there.find(id, T0))?.status).toBe('claimed')
      expect(await stores.there.claim(id, T0)).toEqual({ status: 'taken' })
    })

    test('of 50 concurrent claims over both nodes exactly one wins', async () => {
      const id = await sealed()
      const claims = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 2 ? stores.here : stores.there).claim(id, T0)),
      )
      expect(claims.filter(({ status }) => status === 'claimed')).toHaveLength(1)
      expect(claims.filter(({ status }) => status === 'taken')).toHaveLength(49)
    })

    test('of 50 concurrent approvals exactly one wins, and its ciphertext is the one delivered', async () => {
      const id = await created()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          (n % 2 ? stores.here : stores.there).approve(id, sealing({ ciphertextBase64: `${n}` }), T0),
        ),
      )
      expect(answers.filter((answer) => answer === 'done')).toHaveLength(1)
      expect(answers.filter((answer) => answer === 'given')).toHaveLength(49)
      const claim = await stores.here.claim(id, T0)
      expect(claim).toEqual({
        status: 'claimed',
        ciphertextBase64: String(answers.indexOf('done')),
        approved: null,
      })
    })

    test('of a concurrent approval and denial exactly one wins', async () => {
      for (let round = 0; round < 20; round++) {
        const id = await created()
        const acts = [() => stores.here.approve(id, sealing(), T0), () => stores.there.deny(id, T0)]
        if (round % 2) acts.reverse()
        const answers = await Promise.all(acts.map((act) => act()))
        expect(answers.filter((answer) => answer === 'done')).toHaveLength(1)
        const status = (await stores.here.find(id, T0))?.status
        expect(answers).toContain(status)
      }
    })

    test('a claimed request can neither be sealed nor denied', async () => {
      const id = await claimed()
      expect(await stores.there.approve(id, sealing({ ciphertextBase64: 'b3RoZXI=' }), T0)).toBe('given')
      expect(await stores.there.deny(id, T0)).toBe('given')
    })

    test('a released claim can be claimed again, once, with the same ciphertext', async () => {
      const id = await claimed()
      await stores.here.unclaim(id, T0)
      expect(await stores.there.claim(id, T0)).toEqual({
        status: 'claimed',
        ciphertextBase64: 'c2VhbGVk',
        approved: null,
      })
      expect(await stores.here.claim(id, T0)).toEqual({ status: 'taken' })
    })

    test('releasing what is not claimed changes nothing', async () => {
      const id = await created()
      await stores.here.unclaim(id, T0)
      expect((await stores.here.find(id, T0))?.status).toBe('open')
    })

    test('a removed request is gone', async () => {
      const id = await claimed()
      await stores.there.remove(id)
      expect(await stores.here.find(id, T0)).toBeNull()
      expect(await stores.here.claim(id, T0)).toEqual({ status: 'gone' })
    })

    test('a release after the removal does not bring a request back', async () => {
      const id = await claimed()
      await stores.here.remove(id)
      await stores.there.unclaim(id, T0)
      expect(await stores.here.claim(id, T0)).toEqual({ status: 'gone' })
    })

    test('a denied request keeps its marker and can be neither sealed, claimed nor denied again', async () => {
      const id = await created()
      expect(await stores.here.deny(id, T0)).toBe('done')
      expect((await stores.there.find(id, T0))?.status).toBe('denied')
      expect(await stores.there.approve(id, sealing(), T0)).toBe('denied')
      expect(await stores.there.claim(id, T0)).toEqual({ status: 'denied' })
      expect(await stores.there.deny(id, T0)).toBe('denied')
    })

    test('a denial can say why no one can approve', async () => {
      const [plain, explained] = [await created(), await created()]
      await stores.here.deny(plain, T0)
      await stores.here.deny(explained, T0, { why: 'agents_denied' })
      expect(await stores.there.find(plain, T0)).toMatchObject({ why: null })
      expect(await stores.there.find(explained, T0)).toMatchObject({ why: 'agents_denied' })
    })

    const step = sealing(approvedBy('user'))
    withdrawalContract({ stores: () => stores, approval: step, atMs: T0, created, sealed, claimed })

    test('wrong codes are counted over all nodes, and the fifth denies', async () => {
      const id = await created()
      const left = []
      for (let n = 0; n < 6; n++)
        left.push(await (n % 2 ? stores.here : stores.there).countWrongCode(id, 5, T0))
      expect(left).toEqual([4, 3, 2, 1, 0, 0])
      expect((await stores.here.find(id, T0))?.status).toBe('denied')
    })

    test('after its lifetime a request of any state is gone for every step', async () => {
      const ends = T0 + LIFETIME_MS
      const denied = await created()
      await stores.here.deny(denied, T0)
      const withdrawn = await sealed()
      await stores.here.withdraw(withdrawn, T0)
      for (const id of [await created(), await sealed(), await claimed(), denied, withdrawn]) {
        expect(await stores.here.find(id, ends - 1)).not.toBeNull()
        expect(await stores.there.find(id, ends)).toBeNull()
        expect(await stores.here.claim(id, ends)).toEqual({ status: 'gone' })
        expect(await stores.here.approve(id, sealing(), ends)).toBe('gone')
        expect(await stores.here.deny(id, ends)).toBe('gone')
        expect(await stores.here.withdraw(id, ends)).toBe('gone')
        expect(await stores.here.countWrongCode(id, 5, ends)).toBe(0)
      }
    })

    const changes: [string, () => Promise<string>, (store: RequestActs, id: string) => Promise<unknown>][] = [
      ['approve', created, (store, id) => store.approve(id, sealing(), T0)],
      ['deny', created, (store, id) => store.deny(id, T0)],
      ['withdraw', sealed, (store, id) => store.withdraw(id, T0)],
      ['the last wrong code', created, (store, id) => store.countWrongCode(id, 1, T0)],
      ['unclaim', claimed, (store, id) => store.unclaim(id, T0)],
      ['remove', claimed, (store, id) => store.remove(id)],
    ]
    test.each(changes)('%s rings the bell of its request on every node', async (_, prepare, act) => {
      const id = await prepare()
      const rings = [stores.here, stores.there].map((store) => nextRing(store, id))
      await act(stores.here, id)
      await Promise.all(rings)
    })

    test('a watcher that stopped, or watches another request, is not called', async () => {
      const [id, other] = [await created(), await created()]
      let calls = 0
      const stop = stores.here.watch(id, () => calls++)
      stores.here.watch(other, () => calls++)
      stop()
      const rung = nextRing(stores.here, id)
      await stores.there.approve(id, sealing(), T0)
      await rung
      expect(calls).toBe(0)
    })

    test('each of many watchers of one request is called', async () => {
      const id = await created()
      const rings = Array.from({ length: 20 }, () => nextRing(stores.there, id))
      await stores.here.approve(id, sealing(), T0)
      await Promise.all(rings)
    })

    test('an available store answers a ping', async () => {
      await expect(stores.here.store.ping()).resolves.toBeUndefined()
    })
  })
}

function nextRing(store: RequestActs, id: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.watch(id, () => {
      stop()
      resolve()
    })
  })
}
