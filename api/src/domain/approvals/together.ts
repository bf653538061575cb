import type { EventStore } from '../base/event.ts'
import type { DeliveryRecords } from '../deliveries/delivery.ts'
import type { GroupRecords } from '../people/group.ts'
import type { Accept } from '../people/invitation.ts'
import type { MemberRecords } from '../people/member.ts'
import type { UserRecords } from '../people/user.ts'
import type { DepositRecords } from '../requests/deposit-record.ts'
import type { StoredRequest } from '../requests/stored-request.ts'
import type { LibraryImportStore } from '../transfer/library-import.ts'
import type { ProposalRecords } from '../transfer/proposal.ts'
import type { DecisionStores } from './decision.ts'
import type { GrantRecords } from './grant.ts'
import type { PolicyRecords } from './policy.ts'

/*
 * What changes a request and what else depends on it, in one transaction: all of it is committed, or nothing. Every
 * transaction locks in one order, so that no two wait for each other: workspace, user, membership, requests by id, and
 * then the rest.
 */

/** The requests, as a transaction has them. */
export type JoinedRequests = DecisionStores['requests'] & {
  /** The request goes, whatever its state is. */
  remove(id: string): Promise<void>
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
export type JoinedStores = DecisionStores & {
  requests: JoinedRequests
  policies: PolicyRecords
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
