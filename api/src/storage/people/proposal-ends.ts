import type { EventOrigin } from '../../domain/base/event.ts'
import type { Proposal } from '../../domain/transfer/proposal.ts'
import type { Recorded } from '../base/queries.ts'

/** Which open proposals end: those that fit everything that is given. */
type ProposalsFilter = { tenantId?: string; userId?: string; ids?: readonly string[]; overdueAt?: string }

type ProposalEnding = EventOrigin & { state: Exclude<Proposal['state'], 'open'>; reason?: string }

/** End open proposals, each with an event, and destroy their values.
 * @returns how many */
export async function endProposals(
  transaction: Recorded,
  { tenantId, userId, ids, overdueAt }: ProposalsFilter,
  { state, reason, ...made }: ProposalEnding,
): Promise<number> {
  let update = transaction
    .updateTable('proposals')
    .set({ state, value: null, sender: null, ended_at: made.at })
    .where('state', '=', 'open')
  if (tenantId !== undefined) update = update.where('tenant_id', '=', tenantId)
  if (userId !== undefined) update = update.where('user_id', '=', userId)
  if (ids !== undefined) update = update.where('id', 'in', ids)
  if (overdueAt !== undefined) update = update.where('expires_at', '<=', overdueAt)
  const ended = await update.returning(['tenant_id', 'id', 'user_id', 'bundle_name']).execute()
  for (const row of ended) {
    const data = { ...(reason === undefined ? {} : { reason }), ...dataOf(row) }
    transaction.record({ ...made, ...proposalEvent(row), action: `proposal.${state}`, data })
  }
  return ended.length
}

type ProposalRow = { tenant_id: string; id: string; user_id: string; bundle_name: string }

/** An event of a proposal is about the person who made it. */
export function proposalEvent({ tenant_id: tenantId, user_id: id }: ProposalRow) {
  return { tenantId, target: { kind: 'user', id, name: null } } as const
}

export function dataOf({ id, bundle_name }: ProposalRow) {
  return { proposal: id, into: bundle_name }
}

/** The proposals of a person who leaves end. */
export async function endProposalsOf(
  transaction: Recorded,
  person: { tenantId: string; userId: string },
  made: EventOrigin,
): Promise<void> {
  await endProposals(transaction, person, { ...made, state: 'withdrawn', reason: 'person_removed' })
}
