import { CHAIN_START } from '@keyferry/crypto/audit-chain'
import { chainNote } from '@keyferry/crypto/chain-note'
import { signNote } from '@keyferry/crypto/signed-note'
import { entryOf } from '../../domain/audit/audit.ts'
import { send } from '../base/pipeline.ts'
import type { Database, Query } from '../base/queries.ts'
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

/** The newest head that a node knows. `note`: what it signed for this head; null: it has signed none. */
export type SeenHead = Head & { note: string | null }

/** Where a log begins: `first_seq` is its oldest entry, `first_prev` the hash before that. */
export type HeadRow = Head & { first_seq: number; first_prev: string }

const START = { seq: 0, hash: CHAIN_START, first_seq: 1, first_prev: CHAIN_START, epoch: 1 }

/** The head of a tenant, locked until the transaction ends; made at the first call. */
export async function lockHead(transaction: Query, tenantId: string): Promise<HeadRow> {
  await begin(transaction, [tenantId])
  return updateOf(transaction, 'audit_heads', tenantId)
    .set((column) => ({ epoch: column.ref('epoch') }))
    .returning(['seq', 'hash', 'epoch', 'first_seq', 'first_prev'])
    .executeTakeFirstOrThrow()
}

/** The heads of these tenants that no other transaction has locked; this one locks them. Made at the first call. */
export async function lockHeads(
  transaction: Query,
  seen: ReadonlyMap<string, SeenHead | undefined>,
  { skipLocked }: Pick<Database, 'skipLocked'>,
): Promise<ReadonlyMap<string, HeadRow>> {
  const unknown = [...seen].flatMap(([tenantId, head]) => (head ? [] : [tenantId]))
  await begin(transaction, unknown)
  const rows = await transaction
    .selectFrom('audit_heads')
    .selectAll()
    .where('tenant_id', 'in', [...seen.keys()])
    .orderBy('tenant_id')
    .modifyEnd(skipLocked)
    .execute()
  return new Map(rows.map(({ tenant_id, ...head }) => [tenant_id, head]))
}

// Sorted, so that two nodes that begin the same logs cannot deadlock.
async function begin(transaction: Query, tenantIds: readonly string[]): Promise<void> {
  if (tenantIds.length === 0) return
  const rows = tenantIds.toSorted().map((tenantId) => ({ tenant_id: tenantId, ...START }))
  const insertion = transaction.insertInto('audit_heads').values(rows)
  await send(
    transaction,
    insertion.onConflict((conflict) => conflict.doNothing()),
  )
}

/** The newest checkpoint of each tenant that has one. */
export async function checkpointsOf(
  query: Query,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, Tables['audit_seals']>> {
  if (tenantIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('audit_seals')
    .selectAll()
    .where('tenant_id', 'in', tenantIds)
    .where('day', '=', (checkpoints) =>
      checkpoints
        .selectFrom('audit_seals as each')
        .select(({ fn }) => fn.max('each.day').as('day'))
        .whereRef('each.tenant_id', '=', 'audit_seals.tenant_id'),
    )
    .execute()
  return new Map(rows.map((row) => [row.tenant_id, row]))
}

/** The note of a head, as this server signs it. */
export function noteOf(
  head: Head,
  { tenantId, key, at }: { tenantId: string; key: NamedAuditKey; at: string },
) {
  return signNote(chainNote({ ...head, origin: `${key.name}/${tenantId}`, at }), key)
}

type HeadEvidence = {
  tenantId: string
  head: HeadRow
  last: Tables['audit_seals'] | undefined
  seen: SeenHead | undefined
  key: NamedAuditKey
}

/** Why no entry may follow a head: the database was cut or restored without `audit-restored`. Null: entries may. */
export async function refusalOf(query: Query, judged: HeadEvidence): Promise<string | null> {
  const { head, seen } = judged
  if (!isSigned(judged) && !(await isRestored(query, judged)))
    return `no note signs entry ${head.seq} of epoch ${head.epoch}, where the audit log ends`
  return seen && head.epoch <= seen.epoch ? refusalOfOlder(query, judged, seen) : null
}

// A signature of one text is always the same, and what this node signed itself it need not sign again.
function isSigned({ tenantId, head, last, seen, key }: HeadEvidence): boolean {
  if (!last) return head.seq === 0 && head.epoch === 1
  const { seq, hash, epoch } = head
  if (seen?.note === last.note && seen.seq === seq && seen.hash === hash && seen.epoch === epoch) return true
  return last.note === noteOf(head, { tenantId, key, at: last.sealed_at })
}

/** Whether an operator's restore that waits in the outbox left this head. */
export async function isRestored(
  query: Query,
  { tenantId, head, key }: Pick<HeadEvidence, 'tenantId' | 'key'> & { head: Head },
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

async function refusalOfOlder(query: Query, judged: HeadEvidence, seen: Head): Promise<string | null> {
  const { tenantId, head } = judged
  const isOlder = head.epoch < seen.epoch || head.seq < seen.seq
  const isPruned = seen.seq < head.first_seq - 1
  const fits = isPruned || (await hashAt(query, { tenantId, head, seq: seen.seq })) === seen.hash
  if (!isOlder && fits) return null
  return `the audit log ends at entry ${head.seq}; this server has seen entry ${seen.seq}`
}

// Another node may have appended since, onto what this node saw or onto something else.
async function hashAt(
  query: Query,
  { tenantId, head, seq }: { tenantId: string; head: HeadRow; seq: number },
): Promise<string | undefined> {
  if (seq === head.seq) return head.hash
  if (seq === head.first_seq - 1) return head.first_prev
  const row = await selectOf(query, 'audit_log', { tenantId, seq }).select('hash').executeTakeFirst()
  return row?.hash
}

/** When the newest day of any log was signed, an ISO time; null: none was. */
export async function newestCheckpoint({ query }: Pick<Database, 'query'>): Promise<string | null> {
  const checkpoints = query.selectFrom('audit_seals').select(({ fn }) => fn.max('sealed_at').as('newest'))
  return (await checkpoints.executeTakeFirst())?.newest ?? null
}
