import { hashToken } from '@keyferry/crypto/token'
import { madeBy } from '../../domain/base/event.ts'
import type {
  DepositEnd,
  DepositRecords,
  DepositStore,
  NewDeposit,
} from '../../domain/requests/deposit-record.ts'
import { AppliedDeposit } from '../../domain/requests/stored-deposit.ts'
import { forgetEnded, type Retention } from '../base/forgetting.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { updateOf } from '../base/tenant-rows.ts'

/** How many deposits one look takes. */
const BATCH = 100

export function createDepositStore({ query }: Queries): DepositStore {
  return {
    async appliedSince(time, requestId) {
      const row = await query
        .selectFrom('deposits')
        .select(['poll_challenge', 'applied'])
        .where('request_hash', '=', hashToken(requestId))
        .where('ended_at', '>=', time)
        .where('state', '=', 'applied')
        .executeTakeFirst()
      if (!row?.poll_challenge || !row.applied) return null
      return { pollChallenge: row.poll_challenge, applied: AppliedDeposit.parse(JSON.parse(row.applied)) }
    },
    async overdue(time) {
      const rows = await query
        .selectFrom('deposits')
        .select(['tenant_id', 'id'])
        .where('open_until', '<', time)
        .limit(BATCH)
        .execute()
      return rows.map(({ tenant_id, id }) => ({ tenantId: tenant_id, depositId: id }))
    },
  }
}

/** Delete deposits of all tenants that ended before a time. */
export async function forgetDeposits(queries: Queries, { before, ending, log }: Retention): Promise<void> {
  const count = await forgetEnded(queries, { table: 'deposits', ended: 'ended_at', before }, ending)
  if (count > 0) log.info({ count }, 'old deposits deleted')
}

/** Record in a transaction a deposit that is approved. */
export async function beginDeposit(
  transaction: Recorded,
  tenantId: string,
  deposit: NewDeposit,
): Promise<void> {
  const { id, requestId, bundleName, names, removals, isProposal, heldBy, until, stamp } = deposit
  const requestHash = hashToken(requestId)
  await transaction
    .insertInto('deposits')
    .values({
      tenant_id: tenantId,
      id,
      state: 'approved',
      open_until: until,
      held_by: heldBy,
      request_hash: requestHash,
      poll_challenge: deposit.pollChallenge,
      bundle_name: bundleName,
      user_id: stamp.by,
      applied: null,
      created_at: stamp.at,
      ended_at: null,
    })
    .execute()
  transaction.record({
    action: 'deposit.approved',
    target: { kind: 'request', id: requestHash, name: null },
    data: {
      deposit: id,
      into: bundleName,
      names,
      ...(removals === 0 ? {} : { removed: removals }),
      ...(isProposal ? { proposal: id } : {}),
      ...(heldBy === null ? {} : { release: heldBy }),
    },
    ...madeBy(stamp),
  })
}

/** Record in a transaction that an approved deposit is stored. */
export async function applyDeposit(
  transaction: Query,
  tenantId: string,
  { depositId, applied, at }: Parameters<DepositRecords['apply']>[1],
): Promise<void> {
  await end(
    transaction,
    { tenantId, depositId },
    { state: 'applied', applied: JSON.stringify(applied), ended_at: at },
  )
}

/** Record in a transaction that a deposit will never be stored. */
export async function voidDeposit(
  transaction: Recorded,
  tenantId: string,
  { depositId, reason, at, origin }: DepositEnd,
): Promise<void> {
  const ended = await end(transaction, { tenantId, depositId }, { state: 'void', ended_at: at })
  if (ended === undefined) return
  const isAlarm = ended.held_by !== null && (reason === 'expired' || reason === 'wrong_code')
  transaction.record({
    tenantId,
    action: isAlarm ? 'deposit.not_released' : 'deposit.void',
    actor: { kind: 'user', id: ended.user_id },
    at,
    origin,
    target: { kind: 'request', id: ended.request_hash, name: null },
    data: { deposit: depositId, into: ended.bundle_name, reason },
  })
}

type DepositEnding =
  | { state: 'void'; ended_at: string }
  | { state: 'applied'; applied: string; ended_at: string }

// Only an approved deposit can end, and only once.
function end(
  transaction: Query,
  { tenantId, depositId }: { tenantId: string; depositId: string },
  change: DepositEnding,
) {
  return updateOf(transaction, 'deposits', { tenantId, id: depositId, state: 'approved' })
    .set({ ...change, open_until: null })
    .returning(['user_id', 'held_by', 'bundle_name', 'request_hash'])
    .executeTakeFirst()
}
