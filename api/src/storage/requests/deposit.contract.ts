import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampleRequest, sealing } from '../../../test/sample-request.ts'
import type { ApprovedDeposit } from '../../domain/requests/approved.ts'
import type { AppliedDeposit } from '../../domain/requests/stored-deposit.ts'
import type { Hold } from '../../domain/requests/stored-request.ts'
import type { OpenedStores } from './request-store.contract.ts'

const T0 = Date.now()
const BOX = JSON.stringify({ kid: 'k', ciphertextBase64: 'c2VhbGVk' })
const HOLD: Hold = { by: 'code', hash: 'right', untilMs: T0 + 10_000 }
const ATTEMPT = { hash: 'right', limit: 3 }

const approved: ApprovedDeposit = {
  kind: 'deposit',
  depositId: 'd1',
  approverId: 'sam',
  username: 'sam',
  tenant: { id: 'tenant', name: 'Team' },
  planId: 'plan',
  choices: { own: [], share: [], replace: [], keyNames: {} },
  assurance: 'bound',
  statement: { kid: '1a2b3c4d5e6f7081', payload: 'e30=', signature: 'c2lnbmVk' },
  readable: null,
}

const approving = (hold: Hold | null = null) => sealing({ approved, ciphertextBase64: null, hold })

const applied: AppliedDeposit = {
  deposit: {
    id: '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04',
    bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app' },
    workspace: { id: '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21', name: 'Team' },
    counts: { create: 1, own: 0, share: 0, update: 0, replace: 0, same: 0, kept: 0, detach: 0 },
    approved_by: 'sam',
    receipt: { kid: '1a2b3c4d5e6f7081', payload: 'e30=', signature: 'c2lnbmVk' },
  },
}

/** How deposits wait and are stored; run on each implementation. */
export function depositContract(name: string, open: () => Promise<OpenedStores>): void {
  describe(`deposits: ${name}`, () => {
    let stores: OpenedStores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    const created = async () => {
      const request = sampleRequest({ expiresAtMs: T0 + 300_000, deposit: { userCode: 'BCDF-GHJK' } })
      expect(await stores.here.create(request, T0, BOX)).toBe(true)
      return request.id
    }
    const approvedOne = async (hold: Hold | null = null) => {
      const id = await created()
      expect(await stores.here.approve(id, approving(hold), T0)).toBe('done')
      return id
    }
    test('its box is read from every node until it is stored', async () => {
      const id = await created()
      expect(await stores.there.box(id, T0)).toBe(BOX)
      await stores.here.approve(id, approving(), T0)
      expect(await stores.there.apply(id, applied, T0)).toBe('done')
      expect(await stores.here.box(id, T0)).toBeNull()
    })

    test('of two approvals one wins, and the client gets the counts once and cannot withdraw the deposit', async () => {
      const id = await created()
      const both = [stores.here, stores.there].map((store) => store.approve(id, approving(), T0))
      expect((await Promise.all(both)).toSorted()).toEqual(['done', 'given'])
      await stores.there.apply(id, applied, T0)
      expect(await stores.here.deny(id, T0)).toBe('given')
      expect(await stores.here.withdraw(id, T0)).toBe('given')
      expect(await stores.there.claim(id, T0)).toMatchObject({ status: 'claimed', applied })
      expect(await stores.here.claim(id, T0)).toEqual({ status: 'taken' })
    })

    test('one that returned and was not stored is open again, with its box', async () => {
      const id = await approvedOne(HOLD)
      expect(await stores.there.refuse(id, 'wrong', T0)).toBe('not_held')
      expect(await stores.there.refuse(id, 'right', T0)).toBe('done')
      expect(await stores.there.refuse(id, 'right', T0)).toBe('not_held')
      expect(await stores.here.find(id, T0)).toMatchObject({ status: 'open', approval: null })
      expect(await stores.here.box(id, T0)).toBe(BOX)
      expect(await stores.here.approve(id, approving(HOLD), T0)).toBe('done')
    })

    test('a held one is given once it is released', async () => {
      const id = await approvedOne(HOLD)
      expect(await stores.there.release(id, ATTEMPT, T0 + 1)).toEqual({ status: 'returned' })
      expect(await stores.here.find(id, T0)).toMatchObject({
        status: 'given',
        approval: { returned: 'code' },
      })
      expect(await stores.here.release(id, ATTEMPT, T0)).toEqual({ status: 'not_held' })
    })

    test('a removed approver takes nothing away: the rights are looked up again at the release', async () => {
      const id = await approvedOne(HOLD)
      await stores.here.removeApprovedBy({ userId: 'sam', tenantId: null }, T0)
      expect(await stores.here.find(id, T0)).toMatchObject({ status: 'held', approval: { approved } })
    })

    test.each(['deny', 'withdraw'] as const)('%s deletes the box', async (end) => {
      const id = await created()
      expect(await stores.here[end](id, T0)).toBe('done')
      expect(await stores.there.box(id, T0)).toBeNull()
    })

    test('a delivery is not approved as a deposit', async () => {
      const request = sampleRequest({ expiresAtMs: T0 + 300_000 })
      await stores.here.create(request, T0)
      expect(await stores.here.approve(request.id, approving(), T0)).not.toBe('done')
      expect((await stores.here.find(request.id, T0))?.status).toBe('open')
    })

    test('all boxes together have a bound; each one that ends makes room', async () => {
      const store = await stores.small(100, BOX.length * 2)
      const ids = Array.from({ length: 5 }, () => sampleRequest({ expiresAtMs: T0 + 60_000 }))
      const create = async (index: number, nowMs = T0) => {
        const request = ids[index]
        return request !== undefined && (await store.create(request, nowMs, BOX))
      }
      expect([await create(0), await create(1), await create(2)]).toEqual([true, true, false])
      expect(await store.create(sampleRequest({ expiresAtMs: T0 + 60_000 }), T0)).toBe(true)
      await store.deny(ids[0]?.id ?? '', T0)
      expect([await create(2), await create(3)]).toEqual([true, false])
      await store.remove(ids[1]?.id ?? '')
      expect([await create(3), await create(4)]).toEqual([true, false])
      expect(await create(4, T0 + 60_001)).toBe(true)
    })
  })
}
