import { CHAIN_START } from '@keyferry/crypto/audit-chain'
import { chainNote } from '@keyferry/crypto/chain-note'
import { signNote } from '@keyferry/crypto/signed-note'
import { entryOf } from '../../domain/audit/audit.ts'
import type { Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'
import { isGenuine } from './genuine-events.ts'

/*
 * The head of a log is a row that anyone who can write to the database can change. So a server adds entries only to a
 * head that the newest note signs, with its epoch, and that is not older than one that it has seen. The exception is a
 * restore: the operator's event, which waits in the outbox, names the head that the restore left.
 */

/** The newest entry of a chain. */
export type Head = { seq: number; hash: string; epoch: number }

/** Where a log begins: `first_seq` is its oldest entry, `first_prev` the hash before that. */
export type HeldHead = Head & { first_seq: number; first_prev: string }

/** A head to which nothing may be added: the database was cut or restored without `audit-restored`. */
class HeadWentBack extends Error {
  override readonly name = 'HeadWentBack'
}

/** The head of a tenant, held until the transaction ends; made at the first call. */
export async function holdHead(transaction: Query, tenantId: string): Promise<HeldHead> {
  const held = await tryHold(transaction, tenantId)
  if (held) return held
  const start = { seq: 0, hash: CHAIN_START, first_seq: 1, first_prev: CHAIN_START, epoch: 1 }
  await transaction
    .insertInto('audit_heads')
    .values({ tenant_id: tenantId, ...start })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await tryHold(transaction, tenantId)) ?? start
}

function tryHold(transaction: Query, tenantId: string): Promise<HeldHead | undefined> {
  return updateOf(transaction, 'audit_heads', tenantId)
    .set((column) => ({ epoch: column.ref('epoch') }))
    .returning(['seq', 'hash', 'epoch', 'first_seq', 'first_prev'])
    .executeTakeFirst()
}

/** The newest seal of a tenant; absent when nothing is sealed yet. */
export function newestSeal(query: Query, tenantId: string): Promise<Tables['audit_seals'] | undefined> {
  return selectOf(query, 'audit_seals', tenantId)
    .selectAll()
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The note of a head, as this server signs it. */
export function noteOf(
  head: Head,
  { tenantId, key, at }: { tenantId: string; key: NamedAuditKey; at: string },
) {
  return signNote(chainNote({ ...head, origin: `${key.name}/${tenantId}`, at }), key)
}

type Judged = {
  tenantId: string
  head: HeldHead
  seal: Tables['audit_seals'] | undefined
  /** The newest head that this node knows. */
  seen: Head | undefined
  key: NamedAuditKey
}

/** @throws HeadWentBack: no entry may follow this head */
export async function requireGenuineHead(query: Query, judged: Judged): Promise<void> {
  const { head, seen } = judged
  if (!isSigned(judged) && !(await isRestored(query, judged)))
    throw new HeadWentBack(`no note signs entry ${head.seq} of epoch ${head.epoch}, where the audit log ends`)
  if (seen && head.epoch <= seen.epoch) await refuseOlder(query, judged, seen)
}

// A signature of one text is always the same.
function isSigned({ tenantId, head, seal, key }: Judged): boolean {
  if (!seal) return head.seq === 0 && head.epoch === 1
  return seal.note === noteOf(head, { tenantId, key, at: seal.sealed_at })
}

/** Whether an operator's restore that waits in the outbox left this head. */
export async function isRestored(
  query: Query,
  { tenantId, head, key }: Pick<Judged, 'tenantId' | 'key'> & { head: Head },
): Promise<boolean> {
  const rows = await selectOf(query, 'events', tenantId)
    .select(['tenant_id', 'body', 'origin', 'mac'])
    .where('body', 'like', '%"action":"audit.restored"%')
    .execute()
  return rows.some((row) => {
    if (!isGenuine(row, key)) return false
    const { action, data } = entryOf(row.body, row.origin)
    const { seq, hash, epoch } = data
    return action === 'audit.restored' && seq === head.seq && hash === head.hash && epoch === head.epoch
  })
}

async function refuseOlder(query: Query, { tenantId, head }: Judged, seen: Head): Promise<void> {
  const isOlder = head.epoch < seen.epoch || head.seq < seen.seq
  const isPruned = seen.seq < head.first_seq - 1
  const fits = isPruned || (await hashAt(query, { tenantId, head, seq: seen.seq })) === seen.hash
  if (isOlder || !fits)
    throw new HeadWentBack(`the audit log ends at entry ${head.seq}; this server has seen entry ${seen.seq}`)
}

// Another node may have sealed since, onto what this node saw or onto something else.
async function hashAt(
  query: Query,
  { tenantId, head, seq }: { tenantId: string; head: HeldHead; seq: number },
): Promise<string | undefined> {
  if (seq === head.seq) return head.hash
  if (seq === head.first_seq - 1) return head.first_prev
  const row = await selectOf(query, 'audit_log', { tenantId, seq }).select('hash').executeTakeFirst()
  return row?.hash
}
