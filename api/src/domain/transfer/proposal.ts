import { LIMITS, type Proposal as ProposalSchema, TIMES } from '@keyferry/contract'
import type { z } from 'zod'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'

/*
 * A proposal keeps the values of a deposit that its sender may not store, encrypted, until an owner decides. Nobody
 * sees a secret value of it. Its proposer learns what became of it, and never whether a value was already there.
 *
 * | state     | what happened                                                            |
 * | --------- | ------------------------------------------------------------------------ |
 * | open      | an owner can decide, for seven days                                      |
 * | stored    | an owner stored it                                                       |
 * | declined  | an owner declined it                                                     |
 * | expired   | nobody decided                                                           |
 * | withdrawn | its proposer took it back, proposed these names anew, or left            |
 *
 * The end of a proposal destroys its values. Its names stay for seven days more, so that the proposer sees the end.
 */

export type Proposal = z.output<typeof ProposalSchema>

/** `bundleId`: null for a bundle that did not exist. `entries`: whose values are in the same order. */
export type ProposalContent = Pick<Proposal, 'entries' | 'detach'> & {
  bundleId: string | null
  bundleName: string
  values: readonly string[]
}

/** `id`: of its deposit too. */
export type NewProposal = ProposalContent & {
  id: string
  sender: NonNullable<Proposal['sender']>
  /** ISO timestamp. */
  until: string
}

/** `bundleName`: the bundle's name now; null: the bundle was deleted. */
type OpenProposal = Omit<ProposalContent, 'bundleName'> & {
  proposerId: string
  bundleName: string | null
  /** ISO timestamp. */
  createdAt: string
}

/** `proposerId`: only if the proposal is this person's. */
type ProposalEnd = {
  id: string
  proposerId: string | null
  state: 'declined' | 'withdrawn'
}

/** An open proposal as a new one sees it. `bytes`: of its values, encrypted. */
export type KnownProposal = {
  id: string
  proposerId: string
  bundleName: string
  names: readonly string[]
  bytes: number
}

/** What transactions do with proposals. */
export interface ProposalRecords {
  /** Keep a proposal, in the place of those that `replacedBy` names.
   * @throws DomainError workspace_full */
  keep(proposal: NewProposal, stamp: Stamp): Promise<void>
}

export interface ProposalStore {
  /** The open ones. */
  known(tenantId: string): Promise<KnownProposal[]>
  /** The newest first. `proposerId`: null for those of everybody. */
  list(tenantId: string, proposerId: string | null): Promise<Proposal[]>
  /** Null for one that is not open. */
  open(tenantId: string, proposalId: string): Promise<OpenProposal | null>
  /** False when it is not open, or another person's. */
  end(end: ProposalEnd, stamp: Stamp): Promise<boolean>
  /** Expire what nobody decided until `now`, and forget what ended before `forgetBefore`, in all tenants. */
  expire(times: { now: string; forgetBefore: string }): Promise<void>
}

export type ProposalParts = { stores: { proposals: ProposalStore }; clock: ClockAndIds }

/** The proposals whose place a new one takes: its proposer's own of the same bundle that have no other names.
 * @throws DomainError workspace_full: the person or the workspace has too many others */
export function replacedBy(
  known: readonly KnownProposal[],
  proposal: Omit<ProposalContent, 'bundleId'> & { proposerId: string },
): string[] {
  const names = new Set(namesOf(proposal))
  const [replaced, others] = parted(known, ({ proposerId, bundleName, names: theirs }) => {
    const isOwn = proposerId === proposal.proposerId && bundleName === proposal.bundleName
    return isOwn && theirs.every((name) => names.has(name))
  })
  const theirs = others.filter(({ proposerId }) => proposerId === proposal.proposerId)
  const bytes = others.reduce(
    (sum, each) => sum + each.bytes,
    Buffer.byteLength(JSON.stringify(proposal.values)),
  )
  if (theirs.length >= LIMITS.personProposals) throw full('You have', LIMITS.personProposals)
  if (others.length >= LIMITS.workspaceProposals || bytes > LIMITS.proposalBytes)
    throw full('The workspace has', LIMITS.workspaceProposals)
  return replaced.map(({ id }) => id)
}

export function namesOf({ entries, detach }: Pick<ProposalContent, 'entries' | 'detach'>): string[] {
  return [...entries.map(({ name }) => name), ...detach]
}

function parted<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))]
}

function full(who: string, limit: number): DomainError {
  const message = `${who} as many open change requests as possible: withdraw some, or ask an owner to decide`
  return new DomainError('workspace_full', message, { details: { limit } })
}

export function listProposals({ stores }: ProposalParts, { tenantId, userId, role }: Caller) {
  return stores.proposals.list(tenantId, role === 'owner' ? null : userId)
}

/** A proposer withdraws their own; an owner declines that of another person.
 * @throws DomainError not_found */
export async function endProposal(parts: ProposalParts, caller: Caller, id: string): Promise<void> {
  const { userId, role } = caller
  const stamp = stampOf(caller, parts.clock)
  const { proposals } = parts.stores
  if (await proposals.end({ id, proposerId: userId, state: 'withdrawn' }, stamp)) return
  const isDeclined =
    role === 'owner' && (await proposals.end({ id, proposerId: null, state: 'declined' }, stamp))
  if (!isDeclined) throw proposalNotFound()
}

/** @see ProposalStore.expire */
export async function expireProposals({ stores, clock }: ProposalParts): Promise<void> {
  const forgetBefore = timestamp(clock, -TIMES.proposalSeconds)
  await stores.proposals.expire({ now: timestamp(clock), forgetBefore })
}

export function proposalNotFound(): DomainError {
  return new DomainError('not_found', 'this change request has ended, or there is none')
}
