import { CHAIN_START } from '@keyferry/crypto/audit-chain'
import { exportEnd, lastLine } from '@keyferry/crypto/export-lines'
import { signNote } from '@keyferry/crypto/signed-note'
import { turn } from '../../domain/base/turns.ts'
import type { Query } from '../base/queries.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'

const ROWS_AT_ONCE = 1_000
/** Entries of one export; the last line names where the next one begins. */
const EXPORT_ENTRIES = 100_000

type SequenceRange = { from: number; to: number }
type Log = { tenantId: string; key: NamedAuditKey }

/** More than any number of an entry, and no more than both databases store as an integer. */
const LAST = 2_147_483_647

/** The lines of an export of a whole log, however long it is. */
export function wholeLog(query: Query, log: Log): AsyncGenerator<string> {
  return exportLines(query, { ...log, from: 1, to: LAST }, LAST)
}

/** The lines of an export of at most `most` entries, each with its line feed: entries by number, then the newest note
 * and the signed end. When the first entry is not entry 1, a line before it gives its number and the hash before it. */
export async function* exportLines(
  query: Query,
  { tenantId, key, from, to }: Log & SequenceRange,
  most = EXPORT_ENTRIES,
): AsyncGenerator<string> {
  const start = await startOf(query, tenantId, from)
  const note = await newestNote(query, tenantId)
  const end = Math.min(to, start.seq + most - 1, LAST)
  if (start.seq > 1) yield `${JSON.stringify({ first_seq: start.seq, first_prev: start.prev })}\n`
  let { seq: last, hash } = { seq: start.seq - 1, hash: start.prev }
  for (;;) {
    const rows = await entries(query, tenantId, { from: last + 1, to: end })
    const newest = rows.at(-1)
    if (newest === undefined) break
    yield rows.map(exportLine).join('')
    ;({ seq: last, hash } = newest)
    await turn()
  }
  const limit = to < LAST ? { to_seq: to } : {}
  const next = (await hasMore(query, tenantId, last, to)) ? { next_from_seq: last + 1 } : {}
  const line = JSON.stringify({ note, ...limit, ...next }).slice(0, -1)
  const signed = signNote(exportEnd({ first: start.seq, last, hash, line }), key)
  yield `${lastLine(line, signed)}\n`
}

/** One entry as a line. The entry's text begins at character 83, so that a reader can hash it without writing JSON. */
function exportLine({ hash, body, origin }: { hash: string; body: string; origin: string | null }): string {
  return `{"hash":"${hash}","event":${body}${origin === null ? '' : `,"origin":${origin}`}}\n`
}

/** The newest signed note; null when nothing is appended yet. */
export async function newestNote(query: Query, tenantId: string): Promise<string | null> {
  const checkpoint = await selectOf(query, 'audit_seals', tenantId)
    .select('note')
    .orderBy('day', 'desc')
    .limit(1)
    .executeTakeFirst()
  return checkpoint?.note ?? null
}

async function startOf(query: Query, tenantId: string, from: number): Promise<{ seq: number; prev: string }> {
  const head = await selectOf(query, 'audit_heads', tenantId)
    .select(['first_seq', 'first_prev'])
    .executeTakeFirst()
  if (!head || from <= head.first_seq)
    return { seq: head?.first_seq ?? 1, prev: head?.first_prev ?? CHAIN_START }
  const before = await selectOf(query, 'audit_log', tenantId)
    .select('hash')
    .where('seq', '=', from - 1)
    .executeTakeFirst()
  return { seq: from, prev: before?.hash ?? head.first_prev }
}

function entries(query: Query, tenantId: string, { from, to }: SequenceRange) {
  return selectOf(query, 'audit_log', tenantId)
    .select(['seq', 'hash', 'body', 'origin'])
    .where('seq', '>=', from)
    .where('seq', '<=', to)
    .orderBy('seq')
    .limit(ROWS_AT_ONCE)
    .execute()
}

async function hasMore(query: Query, tenantId: string, last: number, to: number): Promise<boolean> {
  return last < to && (await isFound(selectOf(query, 'audit_log', tenantId).where('seq', '>', last)))
}
