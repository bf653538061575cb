import { IMPORT_ACTIONS } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import { z } from 'zod'
import { type Event, type EventData, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type {
  DepositEnd,
  DepositOutcome,
  DepositStore,
  NewDeposit,
  Stored,
} from '../../domain/kinds/deposit-record.ts'
import { countsOf } from '../../domain/transfer/imported-variables.ts'
import { type Forgetting, forgetEnded } from '../base/forgetting.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'

const StoredText = z.object({
  bundleId: z.string(),
  boxDigest: z.string(),
  storedAt: z.string(),
  variables: z.array(z.object({ name: z.string(), action: z.enum(IMPORT_ACTIONS) })),
})

const Outcome = z.union([StoredText, z.object({ proposed: z.literal(true), expiresAt: z.string() })])

/** How many deposits one look takes. */
const BATCH = 100

export function createDepositStore({ query, write }: Queries): DepositStore {
  return {
    begin: (tenantId, deposit) => write((transaction) => beginDeposit(transaction, tenantId, deposit)),
    void: (tenantId, ending) => write((transaction) => endVoid(transaction, tenantId, ending)),
    outcomeOf: (tenantId, depositId) => outcomeOf(query, tenantId, depositId),
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
export async function forgetDeposits(queries: Queries, { before, ending, log }: Forgetting): Promise<void> {
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

async function endVoid(
  transaction: Recorded,
  tenantId: string,
  { depositId, reason, at, origin }: DepositEnd,
): Promise<boolean> {
  const ended = await end(transaction, { tenantId, depositId }, { state: 'void', ended_at: at })
  if (ended === undefined) return false
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
  return true
}

type Applying = {
  tenantId: string
  depositId: string
  bundle: { id: string; name: string }
  outcome: Stored
  stamp: Stamp
}

/** End a deposit in the transaction that stores its values, and record that.
 * @returns false when it has ended already: then nothing may be stored */
export async function endApplied(
  transaction: Recorded,
  { tenantId, depositId, bundle, outcome, stamp }: Applying,
): Promise<boolean> {
  if (!(await closeDeposit(transaction, { tenantId, depositId, outcome, at: stamp.at }))) return false
  const event: Event = {
    action: 'deposit.applied',
    target: { kind: 'bundle', ...bundle },
    data: { deposit: depositId, ...countsData(outcome) },
    ...madeBy(stamp),
  }
  transaction.record(event)
  return true
}

type Closing = { tenantId: string; depositId: string; outcome: DepositOutcome; at: string }

/** End a deposit in the transaction that carries it out; false when it has ended already. */
export async function closeDeposit(
  transaction: Recorded,
  { tenantId, depositId, outcome, at }: Closing,
): Promise<boolean> {
  const change = { state: 'applied', applied: JSON.stringify(outcome), ended_at: at } as const
  return (await end(transaction, { tenantId, depositId }, change)) !== undefined
}

function countsData({ variables }: Stored): EventData {
  const { create, own, update, replace, detach } = countsOf(variables)
  const written = { created: create + own, updated: update + replace }
  return detach === 0 ? written : { ...written, removed: detach }
}

type Ending = { state: 'void'; ended_at: string } | { state: 'applied'; applied: string; ended_at: string }

// Only an approved deposit can end, and only once.
function end(
  transaction: Query,
  { tenantId, depositId }: { tenantId: string; depositId: string },
  change: Ending,
) {
  return updateOf(transaction, 'deposits', { tenantId, id: depositId, state: 'approved' })
    .set({ ...change, open_until: null })
    .returning(['user_id', 'held_by', 'bundle_name', 'request_hash'])
    .executeTakeFirst()
}

async function outcomeOf(query: Query, tenantId: string, depositId: string): Promise<DepositOutcome | null> {
  const row = await selectOf(query, 'deposits', { tenantId, id: depositId })
    .select('applied')
    .executeTakeFirst()
  return row?.applied ? Outcome.parse(JSON.parse(row.applied)) : null
}
