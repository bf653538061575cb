import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults, faulty } from '../../../test/faulty-requests.ts'
import { actsOn } from '../../../test/request-acts.ts'
import { sampleRequest, sampleSupport, sealing } from '../../../test/sample-request.ts'
import type { Approved } from '../../domain/requests/approved.ts'
import type { ApprovalRequest } from '../../domain/requests/stored-request.ts'
import type { OpenedStores } from './request-store.contract.ts'

const T0 = Date.now()
const LIFETIME_MS = 300_000

const approvedBy = (approverId: string): Approved => ({
  kind: 'names',
  approverId,
  tenant: { id: 'tenant', name: 'Team' },
  target: { kind: 'bundle', id: 'bundle', name: 'dev/app' },
  assurance: 'bound',
})

const first = (userId: string) => sampleSupport({ userId })

type Act = () => Promise<unknown>

const unused = () => Promise.reject(new Error('not used here'))

/** Each act starts first in some of the rounds. */
async function rounds(race: (together: (acts: Act[]) => Promise<unknown[]>) => Promise<void>): Promise<void> {
  for (let round = 0; round < 12; round++) {
    await race((acts) => {
      const start = round % acts.length
      return Promise.all([...acts.slice(start), ...acts.slice(0, start)].map((act) => act()))
    })
  }
}

const deposit = () => sampleRequest({ expiresAtMs: T0 + LIFETIME_MS, deposit: { userCode: 'X' } })

/** What is true when several nodes act at once, repeat a call or lose a reply; run on each implementation. */
export function racesContract(name: string, open: () => Promise<OpenedStores>): void {
  describe(`races: ${name}`, () => {
    let stores: OpenedStores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    const node = (n: number) => (n % 2 ? stores.here : stores.there)
    const created = async (changes: Partial<ApprovalRequest> = {}) => {
      const made = sampleRequest({ expiresAtMs: T0 + LIFETIME_MS, ...changes })
      await stores.here.create(made, T0)
      return made.id
    }
    const ready = async (approverId = 'sam') => {
      const id = await created()
      await stores.here.approve(id, sealing({ approved: approvedBy(approverId) }), T0)
      return id
    }
    test('a repeated unclaim does not reopen a later claim', async () => {
      const id = await ready()
      await stores.here.claim(id, T0, 'first')
      await stores.here.unclaim(id, T0, 'first')
      expect((await stores.there.claim(id, T0, 'second')).status).toBe('claimed')
      await stores.here.unclaim(id, T0, 'first')
      expect(await stores.there.claim(id, T0, 'third')).toEqual({ status: 'taken' })
    })

    test('of many wrong codes at once exactly as many count as deny', async () => {
      const id = await created()
      const left = await Promise.all(Array.from({ length: 12 }, (_, n) => node(n).countWrongCode(id, 5, T0)))
      expect(left.filter((count) => count > 0).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4])
      expect(await stores.here.find(id, T0)).toMatchObject({ status: 'denied', wrongCodes: 5 })
    })

    test('of a claim, a withdrawal and a removal at once no payload stays', async () => {
      await rounds(async (together) => {
        const id = await ready()
        await together([
          () => stores.here.claim(id, T0),
          () => stores.there.withdraw(id, T0),
          () => stores.here.remove(id),
        ])
        expect(['gone', 'withdrawn']).toContain((await stores.there.claim(id, T0)).status)
      })
    })

    test('a removal judges the request as another left it, and nothing changes after it', async () => {
      await rounds(async (together) => {
        const id = await created()
        let left = -1
        let seen = -1
        await together([
          async () => (left = await stores.there.countWrongCode(id, 5, T0)),
          async () =>
            (seen = await stores.here.store.change(id, T0, ({ wrongCodes }) => ({
              answer: wrongCodes,
              next: 'removed',
            }))),
        ])
        // Nothing is left to count where the removal came first.
        expect([left, seen]).toEqual(left === 0 ? [0, 0] : [4, 1])
        expect(await stores.here.find(id, T0)).toBeNull()
      })
    })

    test('a removed approver leaves no approval behind that came before, and no first one', async () => {
      await rounds(async (together) => {
        const leaver = `leaver-${Math.random()}`
        const id = await created()
        await together([
          () => stores.here.approve(id, sealing({ approved: approvedBy(leaver) }), T0),
          () => stores.there.removeApprovedBy({ userId: leaver, tenantId: null }, T0),
        ])
        // Where the removal came first, the approver's membership is read again after the approval.
        await stores.there.removeApprovedBy({ userId: leaver, tenantId: null }, T0)
        expect(await stores.here.find(id, T0)).toBeNull()
      })
    })

    test('of a second approval and the removal of the first approver, two people must approve again, or it is gone', async () => {
      await rounds(async (together) => {
        const leaver = `leaver-${Math.random()}`
        const id = await created()
        await stores.here.approve(id, sealing({ first: first(leaver), ciphertextBase64: null }), T0)
        await together([
          () => stores.here.approve(id, sealing({ after: leaver, approved: approvedBy('kim') }), T0),
          () => stores.there.removeApprovedBy({ userId: leaver, tenantId: 'tenant' }, T0),
        ])
        const stored = await stores.here.find(id, T0)
        if (stored !== null) expect(stored).toMatchObject({ status: 'open', first: null })
      })
    })

    test('a change whose reply is lost was made once, and its repetition finds it made', async () => {
      const faults = new Faults()
      const unlucky = actsOn(
        faulty(faults)({ requests: stores.here.store, together: unused }).requests,
        unused,
      )
      const id = await created()
      faults.next('after')
      await expect(unlucky.countWrongCode(id, 5, T0)).rejects.toMatchObject({ code: 'unavailable' })
      expect(await stores.there.countWrongCode(id, 5, T0)).toBe(3)
      faults.next('before')
      await expect(unlucky.deny(id, T0)).rejects.toMatchObject({ code: 'unavailable' })
      expect(await unlucky.deny(id, T0)).toBe('done')
      expect(await unlucky.deny(id, T0)).toBe('denied')
    })

    test('an extended life keeps the request, its id and its places in the lists', async () => {
      const deviceKey = `device-${Math.random()}`
      const approverId = `approver-${Math.random()}`
      const id = await created({ deviceKey })
      await stores.here.approve(id, sealing({ first: first(approverId), ciphertextBase64: null }), T0)
      const expiresAtMs = T0 + 2 * LIFETIME_MS
      await stores.there.store.change(id, T0, (stored) => ({
        answer: null,
        next: { ...stored, expiresAtMs },
      }))
      const later = expiresAtMs - 1
      expect(await stores.here.find(id, later)).toMatchObject({ status: 'open' })
      expect(await stores.here.ofDevice(deviceKey, later)).toEqual([id])
      await stores.here.removeApprovedBy({ userId: approverId, tenantId: null }, later)
      expect(await stores.here.find(id, later)).toMatchObject({ first: null })
      expect(await stores.here.hasExpired(id, expiresAtMs)).toBe(true)
    })

    test('each end frees the bytes of a box, once', async () => {
      const box = 'x'.repeat(100)
      const store = await stores.small(100, box.length)
      const ends: ((id: string) => Promise<unknown>)[] = [
        (id) => store.deny(id, T0),
        (id) => store.withdraw(id, T0),
        (id) => store.countWrongCode(id, 1, T0),
        (id) => store.remove(id),
      ]
      for (const end of ends) {
        const request = deposit()
        expect(await store.create(request, T0, box)).toBe(true)
        expect(await store.create(deposit(), T0, box)).toBe(false)
        await end(request.id)
        await end(request.id)
        expect(await store.box(request.id, T0)).toBeNull()
      }
    })

    test('a node whose clock is 20 s ahead or behind changes nothing for the others', async () => {
      const id = await created()
      for (const skewMs of [20_000, -20_000]) await stores.there.countWrongCode(id, 5, T0 + skewMs)
      expect(await stores.here.find(id, T0)).toMatchObject({ wrongCodes: 2, expiresAtMs: T0 + LIFETIME_MS })
      expect(await stores.there.find(id, T0 + LIFETIME_MS + 20_000)).toBeNull()
      expect((await stores.here.find(id, T0 + LIFETIME_MS - 1))?.status).toBe('open')
    })
  })
}
