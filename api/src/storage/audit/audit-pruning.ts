import type { ExportedChain } from '@keyferry/crypto/exported-chain'
import { type EventOrigin, madeByServer, ofTenant } from '../../domain/base/event.ts'
import type { Retention } from '../base/forgetting.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { lockHead } from './audit-head.ts'

/*
 * Pruning deletes the oldest entries of a log, up to the end of a day. The head keeps the hash before the first entry
 * that stays, so the rest is still a chain, and an event in it records what was deleted. The newest entry always
 * stays.
 */

/** A request to prune that cannot be carried out; nothing was deleted. */
export class PruneRefused extends Error {
  override readonly name = 'PruneRefused'
}

/** What was deleted: `count` entries, the last of them numbered `through`. */
export type Pruned = { readonly through: number; readonly count: number }

type Pruning = { tenantId: string; made: EventOrigin }

/** Delete the entries of the whole days that a checked export contains.
 * @throws PruneRefused: the export does not begin where the log does, differs from it, or contains no whole day */
export async function pruneExported(
  transaction: Recorded,
  pruning: Pruning & { chain: ExportedChain },
): Promise<Pruned> {
  const { tenantId, chain, made } = pruning
  const head = await lockHead(transaction, tenantId)
  if (chain.first > head.first_seq) {
    throw new PruneRefused(
      `the export begins at entry ${chain.first}, the log at ${head.first_seq}: export the log from there`,
    )
  }
  const range = { from: head.first_seq, to: Math.min(chain.last, head.seq - 1) }
  const end = await endOfDay(transaction, { tenantId, range, before: dayOf(made.at) })
  if (end === null) {
    throw new PruneRefused('the export holds no whole day that can be deleted; the newest entry always stays')
  }
  const stored = await hashOf(transaction, tenantId, end.seq)
  if (stored !== chain.hashOf(end.seq) || stored !== end.hash) {
    throw new PruneRefused(`entry ${end.seq} of the log is not the one in the export: run audit-verify`)
  }
  return cut(transaction, { ...pruning, end, epoch: head.epoch })
}

/** Delete the days of all logs before that of a time. Each cut locks the log's head, so nodes may do this at once. */
export async function pruneLogs(queries: Queries, { before, ending, now, log }: Retention): Promise<void> {
  const day = dayOf(before)
  for (const tenantId of await tenantsToPrune(queries.query, day)) {
    for (let isDone = false; !isDone && !ending.aborted; ) {
      const pruning = { tenantId, before: day, made: madeByServer(now().toISOString()) }
      const pruned = await queries.write((transaction) => pruneOldest(transaction, pruning))
      if (pruned) log.info({ tenantId, ...pruned }, 'audit log pruned')
      isDone = pruned === null
    }
  }
}

/** Entries that one transaction deletes, unless a day has more: other writers wait for it. */
const PRUNED_AT_ONCE = 10_000

/** Delete the oldest days of a log, as many as one transaction should.
 * @param before the day (yyyy-mm-dd) from which all is kept
 * @returns null when no whole day before that can be deleted */
async function pruneOldest(transaction: Recorded, pruning: Pruning & { before: string }) {
  const { tenantId, before } = pruning
  const head = await lockHead(transaction, tenantId)
  const from = head.first_seq
  const find = (to: number, order: 'asc' | 'desc') =>
    endOfDay(transaction, { tenantId, before, range: { from, to }, order })
  const last = head.seq - 1
  const end = (await find(Math.min(last, from + PRUNED_AT_ONCE), 'desc')) ?? (await find(last, 'asc'))
  return end && cut(transaction, { ...pruning, end, epoch: head.epoch })
}

/** The tenants whose log has a day before this one that can be deleted. */
async function tenantsToPrune(query: Query, before: string): Promise<string[]> {
  const rows = await query
    .selectFrom('audit_heads')
    .innerJoin('audit_seals', 'audit_seals.tenant_id', 'audit_heads.tenant_id')
    .select('audit_heads.tenant_id')
    .where('audit_seals.day', '<', before)
    .whereRef('audit_seals.seq', '>=', 'audit_heads.first_seq')
    .whereRef('audit_seals.seq', '<', 'audit_heads.seq')
    .distinct()
    .execute()
  return rows.map(({ tenant_id }) => tenant_id)
}

function dayOf(timestamp: string): string {
  return timestamp.slice(0, 'yyyy-mm-dd'.length)
}

type Days = {
  tenantId: string
  before: string
  range: { from: number; to: number }
  order?: 'asc' | 'desc'
}

// The last entry of a day, which the day's checkpoint signs.
async function endOfDay(query: Query, { tenantId, before, range, order = 'desc' }: Days) {
  const checkpoint = await selectOf(query, 'audit_seals', tenantId)
    .select(['seq', 'hash'])
    .where('day', '<', before)
    .where('seq', '>=', range.from)
    .where('seq', '<=', range.to)
    .orderBy('day', order)
    .limit(1)
    .executeTakeFirst()
  return checkpoint ?? null
}

async function hashOf(query: Query, tenantId: string, seq: number): Promise<string | undefined> {
  const row = await selectOf(query, 'audit_log', { tenantId, seq }).select('hash').executeTakeFirst()
  return row?.hash
}

async function cut(
  transaction: Recorded,
  { tenantId, made, end, epoch }: Pruning & { end: { seq: number; hash: string }; epoch: number },
): Promise<Pruned> {
  const { seq: through, hash } = end
  const { numDeletedRows } = await deleteOf(transaction, 'audit_log', tenantId)
    .where('seq', '<=', through)
    .executeTakeFirstOrThrow()
  await updateOf(transaction, 'audit_heads', tenantId)
    .set({ first_seq: through + 1, first_prev: hash })
    .execute()
  const count = Number(numDeletedRows)
  const target = ofTenant(tenantId)
  // The entry that says why the log is of this epoch may be among those that go.
  const data = { through, hash, count, epoch }
  transaction.record({ ...made, tenantId, action: 'audit.pruned', target, data })
  return { through, count }
}
