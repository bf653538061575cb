import { madeByOperator, ofTenant } from '../../domain/base/event.ts'
import type { Queries, Recorded } from '../base/queries.ts'
import { updateOf } from '../base/tenant-rows.ts'
import { lockHead } from './audit-head.ts'

/*
 * A restored backup takes the log back. Notes that were signed after the backup then match no entry. So a restore
 * begins a new epoch of each log and records where the old one was left: a reader can tell a restore from an attack,
 * and a server that knows a newer head of an older epoch appends again.
 */

type Restored = { reason: string; now: string }

/** Begin a new epoch of every log, and record why.
 * @returns how many logs there are */
export async function beginEpochs({ query, write }: Queries, restored: Restored): Promise<number> {
  const heads = await query.selectFrom('audit_heads').select('tenant_id').execute()
  for (const { tenant_id: tenantId } of heads) {
    await write((transaction) => beginEpoch(transaction, { ...restored, tenantId }))
  }
  return heads.length
}

async function beginEpoch(transaction: Recorded, { tenantId, reason, now }: Restored & { tenantId: string }) {
  const { seq, hash, epoch: epochBefore } = await lockHead(transaction, tenantId)
  const epoch = nextEpoch(epochBefore, now)
  await updateOf(transaction, 'audit_heads', tenantId).set({ epoch }).execute()
  const target = ofTenant(tenantId)
  const data = { epoch, epoch_before: epochBefore, seq, hash, reason }
  transaction.record({ ...madeByOperator(now), tenantId, action: 'audit.restored', target, data })
}

const MINUTE_MS = 60_000

// Minutes since 1970: a backup of before an earlier restore does not know that restore's epoch, and must not use it
// again.
function nextEpoch(epoch: number, now: string): number {
  return Math.max(epoch + 1, Math.floor(new Date(now).getTime() / MINUTE_MS))
}
