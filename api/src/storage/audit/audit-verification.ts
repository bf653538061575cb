import type { AuditAction } from '@keyferry/contract'
import { chainHash, originHash } from '@keyferry/crypto/audit-chain'
import { chainNote } from '@keyferry/crypto/chain-note'
import { openNote, verifierKey } from '@keyferry/crypto/signed-note'
import { sql } from 'kysely'
import { entryOf, indexOf } from '../../domain/audit/audit.ts'
import type { Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import { selectOf } from '../base/tenant-rows.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'
import { isRestored } from './audit-head.ts'
import { isGenuine } from './genuine-events.ts'

const ROWS_AT_ONCE = 1_000

/** One tenant's log. `problem` names the first thing that is wrong; null when all is well. `erased` counts the entries
 * whose origin was erased. */
export type AuditVerdict = { tenantId: string; entries: number; erased: number; problem: string | null }

/** Check the log of every tenant, or of one: the chain, the columns against the text, the origins, the checkpoints, and
 * the events that wait. It only reads. On SQLite, servers wait to write while a log is read. */
export async function verifyAuditLogs(
  query: Query,
  key: NamedAuditKey,
  only: string | null = null,
): Promise<AuditVerdict[]> {
  const verdicts: AuditVerdict[] = []
  const tenantIds = await tenantsWithLogs(query)
  for (const tenantId of only === null ? tenantIds : tenantIds.filter((id) => id === only)) {
    // One snapshot of the log, because servers may append while this reads.
    const verdict = await query
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((snapshot) => verifyLog(snapshot, tenantId, key))
    verdicts.push(verdict)
  }
  return verdicts
}

async function tenantsWithLogs(query: Query): Promise<string[]> {
  const rows = await query
    .selectFrom('audit_heads')
    .select('tenant_id')
    .union(query.selectFrom('audit_log').select('tenant_id'))
    .union(query.selectFrom('audit_seals').select('tenant_id'))
    .union(query.selectFrom('events').select('tenant_id'))
    .union(query.selectFrom('tenants').select('id as tenant_id'))
    .execute()
  return rows.map(({ tenant_id }) => tenant_id).toSorted()
}

class Broken extends Error {}

async function verifyLog(query: Query, tenantId: string, key: NamedAuditKey): Promise<AuditVerdict> {
  const walked = { entries: 0, erased: 0 }
  try {
    await checkLog({ query, tenantId, key, walked })
    return { tenantId, ...walked, problem: null }
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    return { tenantId, ...walked, problem: error.message }
  }
}

type LogWalk = {
  query: Query
  tenantId: string
  key: NamedAuditKey
  walked: { entries: number; erased: number }
}

async function checkLog(walk: LogWalk): Promise<void> {
  const { query, tenantId } = walk
  const head = await selectOf(query, 'audit_heads', tenantId).selectAll().executeTakeFirst()
  const checkpoints = await selectOf(query, 'audit_seals', tenantId).selectAll().orderBy('day').execute()
  const start = { seq: (head?.first_seq ?? 1) - 1, hash: head?.first_prev ?? '' }
  const hashes = await walkEntries(walk, start, new Set(checkpoints.map(({ seq }) => seq)))
  hashes.at.set(start.seq, start.hash)
  const end = head ?? { seq: 0, hash: '', epoch: 1 }
  if (hashes.last.seq !== end.seq || (end.seq > start.seq && hashes.last.hash !== end.hash))
    throw new Broken(`the log ends at entry ${hashes.last.seq}, its head says ${end.seq}`)
  const epochs = checkpoints.map((checkpoint) => epochIn(walk, checkpoint, hashes.at.get(checkpoint.seq)))
  if (end.seq > start.seq && checkpoints.at(-1)?.seq !== end.seq)
    throw new Broken(`no seal signs the last entry, ${end.seq}`)
  const addition = await additionTo(query, tenantId, start.seq + 1)
  if (addition !== null) throw new Broken(addition)
  const waiting = await checkOutbox(walk)
  // The first change in a workspace is that it was made.
  if (!head && waiting === 0) throw new Broken('the workspace has no log')
  if (head) await checkRecords(walk, head, epochs.at(-1) ?? 1)
}

// A log that begins later, or that is of a later epoch than its last note, has an event that says why.
async function checkRecords(
  { query, tenantId, key }: LogWalk,
  head: Tables['audit_heads'],
  signedEpoch: number,
): Promise<void> {
  const { first_seq, first_prev, epoch } = head
  const has = (action: Sought['action'], data: Sought['data']) => hasEvent(query, { tenantId, action, data })
  if (first_seq > 1 && !(await has('audit.pruned', { through: first_seq - 1, hash: first_prev })))
    throw new Broken(`the entries before ${first_seq} are gone, and no entry says that they were pruned`)
  const isSigned = epoch === signedEpoch || (await isRestored(query, { tenantId, key, head }))
  const isExplained =
    epoch === 1 || (await has('audit.restored', { epoch })) || (await has('audit.pruned', { epoch }))
  if (!isSigned || !isExplained)
    throw new Broken(`the log is of epoch ${epoch}, and no entry says that it was restored`)
}

type Hashes = { last: { seq: number; hash: string }; at: Map<number, string> }

async function walkEntries(
  { query, tenantId, walked }: LogWalk,
  start: { seq: number; hash: string },
  signed: ReadonlySet<number>,
): Promise<Hashes> {
  let last = start
  const at = new Map<number, string>()
  for (;;) {
    const rows = await entriesAfter(query, tenantId, last.seq)
    for (const row of rows) {
      last = checkEntry(row, last)
      walked.entries += 1
      if (isErased(row)) walked.erased += 1
      if (signed.has(last.seq)) at.set(last.seq, last.hash)
    }
    if (rows.length < ROWS_AT_ONCE) return { last, at }
  }
}

function entriesAfter(query: Query, tenantId: string, seq: number): Promise<AuditRow[]> {
  return selectOf(query, 'audit_log', tenantId)
    .selectAll()
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(ROWS_AT_ONCE)
    .execute()
}

type AuditRow = Tables['audit_log']

function checkEntry(row: AuditRow, last: { seq: number; hash: string }): { seq: number; hash: string } {
  const seq = last.seq + 1
  if (row.seq !== seq) throw new Broken(`entry ${seq} is missing`)
  if (!row.body.startsWith(`{"seq":${seq},`)) throw new Broken(`entry ${seq} carries another number`)
  if (chainHash(last.hash, row.body) !== row.hash)
    throw new Broken(`entry ${seq} does not fit its hash or the entry before it`)
  checkColumns(row)
  return { seq, hash: row.hash }
}

function checkColumns(row: AuditRow): void {
  const { at, action, actor_id, target_id } = indexOf(row.body)
  const isSame =
    row.at === at && row.action === action && row.actor_id === actor_id && row.target_id === target_id
  if (!isSame) throw new Broken(`a column of entry ${row.seq} differs from its text`)
  if (row.origin !== null && !row.body.endsWith(`"personal":"${originHash(row.origin)}"}`))
    throw new Broken(`the origin of entry ${row.seq} was changed`)
}

function isErased({ body, origin }: AuditRow): boolean {
  return origin === null && !body.endsWith('"personal":null}')
}

/** @returns the epoch that the checkpoint's note names */
function epochIn(
  { tenantId, key }: LogWalk,
  checkpoint: Tables['audit_seals'],
  hash: string | undefined,
): number {
  const text = openNote(checkpoint.note, verifierKey(key))
  if (text === null) throw new Broken(`the seal of ${checkpoint.day} is not signed by this server's key`)
  const epoch = Number(text.split('\n')[4]?.split(' ')[0])
  const expected = {
    origin: `${key.name}/${tenantId}`,
    seq: checkpoint.seq,
    hash: checkpoint.hash,
    epoch,
    at: checkpoint.sealed_at,
  }
  if (text !== chainNote(expected)) throw new Broken(`the seal of ${checkpoint.day} differs from its note`)
  if (hash !== undefined && hash !== checkpoint.hash)
    throw new Broken(`entry ${checkpoint.seq} is not the one that the seal of ${checkpoint.day} signed`)
  return epoch
}

/** @returns how many events wait */
async function checkOutbox({ query, tenantId, key }: LogWalk): Promise<number> {
  const rows = await selectOf(query, 'events', tenantId)
    .select(['position', 'tenant_id', 'body', 'origin', 'mac', 'refused_at'])
    .orderBy('position')
    .execute()
  const [forged, ...others] = rows.filter((row) => !isGenuine(row, key))
  if (forged) {
    const more = others.length > 0 ? ` (${others.length} more like it)` : ''
    throw new Broken(`event ${forged.position} of the outbox was not written by a server${more}`)
  }
  const kept = rows.find(({ refused_at }) => refused_at !== null)
  if (kept) throw new Broken(`event ${kept.position} of the outbox was set aside, but a server wrote it`)
  return rows.length
}

/** An event by its action and members of its data. */
type Sought = { tenantId: string; action: AuditAction; data: Readonly<Record<string, unknown>> }

/** Whether a tenant has such an event, in its log or in the outbox. */
async function hasEvent(query: Query, { tenantId, action, data }: Sought): Promise<boolean> {
  // The outbox first: an event appended between the two reads is then in the log.
  const waiting = await selectOf(query, 'events', tenantId).select(['body', 'origin']).execute()
  const appended = await selectOf(query, 'audit_log', { tenantId, action })
    .select(['body', 'origin'])
    .orderBy('seq', 'desc')
    .execute()
  return [...appended, ...waiting].some(({ body, origin }) => {
    const entry = entryOf(body, origin)
    return (
      entry.action === action && Object.entries(data).every(([name, value]) => entry.data[name] === value)
    )
  })
}

/*
 * Finds added entries that the chain of a log does not reveal.
 */

/** Names such an entry; null when there is none.
 * @param first the number of the entry with which the chain begins */
async function additionTo(query: Query, tenantId: string, first: number): Promise<string | null> {
  const early = await entryBefore(query, tenantId, first)
  if (early !== null) return `entry ${early} was added before the first entry, ${first}`
  const repeat = await repeatedEntry(query, tenantId)
  return repeat === null ? null : `entry ${repeat} repeats an earlier entry`
}

async function entryBefore(query: Query, tenantId: string, first: number): Promise<number | null> {
  const row = await selectOf(query, 'audit_log', tenantId)
    .select('seq')
    .where('seq', '<', first)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? null
}

// If a genuine event is put into the outbox again, the server appends it again.
async function repeatedEntry(query: Query, tenantId: string): Promise<number | null> {
  // A body begins with its number and its id: {"seq":1,"id":"<36 characters>".
  const id = sql`substr(body, length(cast(seq as text)) + 9, 43)`
  const last = sql<number>`max(seq)`
  const row = await selectOf(query, 'audit_log', tenantId)
    .select(last.as('seq'))
    .groupBy(id)
    .having(sql`count(*)`, '>', 1)
    .orderBy(last)
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? null
}
