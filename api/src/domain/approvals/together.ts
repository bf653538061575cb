import { isDeepStrictEqual } from 'node:util'
import type { EventStore } from '../base/event.ts'
import type { DeliveryStore } from '../deliveries/delivery.ts'
import type { Role, SignedCaller } from '../people/membership.ts'
import type { RequestStore } from '../requests/request-store.ts'
import type { GrantStore } from './grant.ts'
import type { PolicyReads } from './policy.ts'

/*
 * What changes a request and what else depends on it, in one transaction: all of it is committed, or nothing.
 */

/** The requests, as a transaction has them. */
export type JoinedRequests = Pick<RequestStore, 'read' | 'change'> & {
  /** The request goes, whatever its state is. */
  remove(id: string): Promise<void>
  /** Ids of requests that this person supports and that wait for another person of the tenant. */
  waitingFrom(person: SignedCaller, nowMs: number): Promise<string[]>
}

/** What such a transaction reads and writes. It must await nothing else: on SQLite, other calls wait for it. */
export type Joined = {
  requests: JoinedRequests
  policies: PolicyReads
  deliveries: Pick<DeliveryStore, 'begin' | 'collect'>
  grants: Pick<GrantStore, 'use'>
  events: Pick<EventStore, 'record'>
  /** The role of an active person, whom nobody removes, disables or gives another role until the transaction ends.
   * Call it before all else. `alone`: another transaction of the same person waits too.
   * @returns null: they may do nothing in the tenant */
  holdMember(person: SignedCaller, alone: boolean): Promise<Role | null>
}

/** Runs `work` in one transaction, once more if a key that it refers to was deleted meanwhile. */
export type Together<Own = Joined> = <T>(work: (own: Own) => Promise<T>) => Promise<T>

// A database gives rows in any order, and so the names of a row.
function sorted(read: unknown): unknown {
  return Array.isArray(read) ? read.map(textOf).toSorted() : read
}

function textOf(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) =>
    Array.isArray(value) ? value.map((each) => JSON.stringify(each)).toSorted() : value,
  )
}

type Place = { tenantId: string; bundleId: string }

type Noted = { read: (policies: PolicyReads) => Promise<unknown>; was: Promise<unknown> }

/** The same store, which notes what an approval is judged by, and reads each of it once.
 * @returns `areSame`: whether the rules are still what was read, as another reader sees them */
export function notingRules<Store extends PolicyReads>(
  policies: Store,
): { policies: Store; areSame: (now: PolicyReads) => Promise<boolean> } {
  const all: Noted[] = []
  const note = <Rules>(read: (from: PolicyReads) => Promise<Rules>): Promise<Rules> => {
    const was = read(policies)
    all.push({ read, was })
    return was
  }
  const once = <Rules>(read: (from: PolicyReads, place: Place) => Promise<Rules>) => {
    const known = new Map<string, Promise<Rules>>()
    return (tenantId: string, bundleId: string): Promise<Rules> => {
      const key = `${tenantId} ${bundleId}`
      const rules = known.get(key) ?? note((from) => read(from, { tenantId, bundleId }))
      known.set(key, rules)
      return rules
    }
  }
  const noting: PolicyReads = {
    find: once((from, { tenantId, bundleId }) => from.find(tenantId, bundleId)),
    findAll: (tenantId) => note((from) => from.findAll(tenantId)),
    areSetElsewhere: once((from, { tenantId, bundleId }) => from.areSetElsewhere(tenantId, bundleId)),
    ofSharedValues: (tenantId, bundleId, names) =>
      note((from) => from.ofSharedValues(tenantId, bundleId, names)),
  }
  return {
    policies: { ...policies, ...noting },
    async areSame(now) {
      const same = all.map(async ({ read, was }) =>
        isDeepStrictEqual(sorted(await read(now)), sorted(await was)),
      )
      return (await Promise.all(same)).every((is) => is)
    },
  }
}
