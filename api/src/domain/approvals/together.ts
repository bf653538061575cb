import { isDeepStrictEqual } from 'node:util'
import type { EventStore } from '../base/event.ts'
import type { DeliveryRecords } from '../deliveries/delivery.ts'
import type { GroupRecords } from '../people/group.ts'
import type { Accept } from '../people/invitation.ts'
import type { MemberRecords } from '../people/member.ts'
import type { Membership, SignedCaller } from '../people/membership.ts'
import type { TouchCounts } from '../people/touch.ts'
import type { UserRecords } from '../people/user.ts'
import type { DepositRecords } from '../requests/deposit-record.ts'
import type { RequestStore } from '../requests/request-store.ts'
import type { StoredRequest } from '../requests/stored-request.ts'
import type { LibraryImportStore } from '../transfer/library-import.ts'
import type { ProposalRecords } from '../transfer/proposal.ts'
import type { GrantRecords } from './grant.ts'
import type { PolicyReads, PolicyRecords } from './policy.ts'

/*
 * What changes a request and what else depends on it, in one transaction: all of it is committed, or nothing. Every
 * transaction locks in one order, so that no two wait for each other: workspace, user, membership, requests by id, and
 * then the rest.
 */

/** The requests, as a transaction has them. */
export type JoinedRequests = Pick<RequestStore, 'change'> & {
  /** The request goes, whatever its state is. */
  remove(id: string): Promise<void>
  /** What this person supports and what waits for another person of the tenant, locked. Few: people have a bound. */
  waitingFrom(person: SignedCaller, nowMs: number): Promise<StoredRequest[]>
  /** All that waits for another person of the tenant. Lock the workspace to count. */
  waitingIn(tenantId: string, nowMs: number): Promise<StoredRequest[]>
  /** All that this user approved or vouched for, locked. */
  ofApprover(userId: string, nowMs: number): Promise<StoredRequest[]>
  /** Some of the requests that expired with an approval or a support, without what they contained: from now on only
   * their ids are known. Those that another transaction has locked are left out. */
  takeExpired(nowMs: number): Promise<StoredRequest[]>
  /** All that people of this tenant approved, or approved first, locked. */
  approvedIn(tenantId: string, nowMs: number): Promise<StoredRequest[]>
  /** Remove the requests that people of a workspace approved or vouched for, and those that nobody approved yet and
   * that name it, with their sealed values or deposits.
   * @param workspace `names`: how clients name it: its id, and its name if that means no other workspace
   * @returns how many */
  removeOf(workspace: { id: string; names: readonly string[] }, nowMs: number): Promise<number>
}

/** What such a transaction reads and writes. It must await nothing else: on SQLite, other calls wait for it. */
export type JoinedStores = TouchCounts & {
  requests: JoinedRequests
  policies: PolicyReads & PolicyRecords
  deliveries: DeliveryRecords
  deposits: DepositRecords
  grants: GrantRecords
  events: Pick<EventStore, 'record'>
  /** The library of the workspace that `storesIn` names. */
  imports: Pick<LibraryImportStore, 'carryOut'>
  proposals: ProposalRecords
  members: MemberRecords
  groups: GroupRecords
  users: UserRecords
  acceptInvitation: Accept
  /** Other transactions that lock this workspace wait until this one ends. Call it before `lockMember`. */
  lockWorkspace(tenantId: string): Promise<void>
  /** What an active person is, whom nobody removes, disables, limits or gives another role until the transaction ends.
   * Call it before all else. `alone`: another transaction of the same person waits too.
   * @returns null: they may do nothing in the tenant */
  lockMember(person: SignedCaller, alone: boolean): Promise<Membership | null>
  /** Locks the workspace, and waits for all decisions of its people. Call it before all else. */
  lockPeople(tenantId: string): Promise<void>
}

type Options = {
  /** The workspace whose library the transaction changes: it waits for other changes of this library. */
  storesIn?: string | undefined
  /** It must not fail because others locked what it needs: it is repeated for half a minute. */
  isRemoval?: boolean
}

/** Runs `work` in one transaction; once more if another one locked what it needs, or deleted a key that it refers to.
 * @throws DomainError plan_changed: the library of `storesIn` has changed · what `work` throws */
export type Together = <T>(work: (own: JoinedStores) => Promise<T>, options?: Options) => Promise<T>

// A database gives rows in any order, and so the names of a row.
function sorted(read: unknown): unknown {
  return Array.isArray(read) ? read.map(textOf).toSorted() : read
}

function textOf(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) =>
    Array.isArray(value) ? value.map((each) => JSON.stringify(each)).toSorted() : value,
  )
}

type BundlePolicyPlace = { tenantId: string; bundleId: string }

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
  const once = <Rules>(read: (from: PolicyReads, place: BundlePolicyPlace) => Promise<Rules>) => {
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
