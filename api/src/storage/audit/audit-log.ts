import { AUDIT_ACTIONS } from '@keyferry/contract'
import { auditGroupOf } from '@keyferry/contract/audit-groups'
import { verifierKey } from '@keyferry/crypto/signed-note'
import {
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  type AuditStore,
  actionsOf,
  type CountedEntry,
  entryOf,
} from '../../domain/audit/audit.ts'
import type { Query } from '../base/queries.ts'
import { countOf, selectOf } from '../base/tenant-rows.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'
import { programs } from '../programs/programs.ts'
import { bundlesOf } from '../rules/key-bundles.ts'
import { exportLines, newestNote } from './audit-export.ts'
import { isGenuine } from './genuine-events.ts'

/** Matches beyond this number are not counted. */
const COUNTED = 10_000
/** Waiting events that are shown; more than that is a backlog, which /readyz tells. */
const MOST_WAITING = 1_000

export function createAuditStore(query: Query, key: NamedAuditKey): AuditStore {
  return {
    list: (tenantId, filter, page) => list(query, key, { tenantId, filter, page }),
    listCounted: (tenantId, filter, limit) => listCounted(query, { tenantId, filter, limit }),
    export: (tenantId, range) => ({ lines: exportLines(query, { tenantId, key, ...range }) }),
    note: (tenantId) => newestNote(query, tenantId),
    verifierKey: verifierKey(key),
  }
}

type AuditListing = { tenantId: string; filter: AuditFilter; page: { limit: number; offset: number } }

async function list(query: Query, key: NamedAuditKey, listing: AuditListing): Promise<AuditPage> {
  const { tenantId, filter, page } = listing
  const waiting = await waitingEntries(query, key, listing)
  const fromLog = page.limit - Math.max(0, waiting.length - page.offset)
  const offset = Math.max(0, page.offset - waiting.length)
  const rows =
    fromLog <= 0 ? [] : await appendedRows(query, { tenantId, filter, page: { limit: fromLog, offset } })
  const appended = rows.map(({ body, origin }) => entryOf(body, origin))
  // An event that is appended between the two reads is in both.
  const ids = new Set(appended.map(({ id }) => id))
  const outbox = waiting.filter(({ id }) => !ids.has(id))
  const entries = [...outbox.slice(page.offset, page.offset + page.limit), ...appended]
  const total = await countMatches(query, tenantId, filter)
  return {
    entries: await withNames(query, tenantId, entries),
    total: total === null ? null : total + waiting.length,
  }
}

async function waitingEntries(query: Query, key: NamedAuditKey, { tenantId, filter }: AuditListing) {
  if (filter.before !== undefined) return []
  const rows = await selectOf(query, 'events', tenantId)
    .select(['tenant_id', 'body', 'origin', 'mac'])
    .where('refused_at', 'is', null)
    .orderBy('position', 'desc')
    .limit(MOST_WAITING)
    .execute()
  const genuine = rows.filter((row) => isGenuine(row, key))
  return genuine.map(({ body, origin }) => entryOf(body, origin)).filter((entry) => matches(entry, filter))
}

function matches({ at, action, actor, target }: AuditEntry, filter: AuditFilter): boolean {
  return (
    (filter.from === undefined || at >= filter.from) &&
    (filter.to === undefined || at < filter.to) &&
    (filter.action === undefined || action === filter.action) &&
    (filter.actor === undefined || actor.id === filter.actor) &&
    (filter.target === undefined || target.id === filter.target) &&
    (filter.group === undefined || auditGroupOf(action) === filter.group)
  )
}

function matching(query: Query, tenantId: string, filter: AuditFilter) {
  const { before, after, from, to, action, actor, target } = filter
  let rows = selectOf(query, 'audit_log', tenantId)
  if (before !== undefined) rows = rows.where('seq', '<', before)
  if (after !== undefined) rows = rows.where('seq', '>', after)
  if (from !== undefined) rows = rows.where('at', '>=', from)
  if (to !== undefined) rows = rows.where('at', '<', to)
  if (action !== undefined) rows = rows.where('action', '=', action)
  if (actor !== undefined) rows = rows.where('actor_id', '=', actor)
  if (target !== undefined) rows = rows.where('target_id', '=', target)
  return rows
}

type CountedListing = { tenantId: string; filter: AuditFilter; limit: number }

async function listCounted(
  query: Query,
  { tenantId, filter, limit }: CountedListing,
): Promise<CountedEntry[]> {
  const rows = await matching(query, tenantId, filter)
    .select(['at', 'action', 'actor_id', 'target_id'])
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
  return rows.flatMap(({ action: name, ...row }) => {
    const action = AUDIT_ACTIONS.find((known) => known === name)
    return action === undefined ? [] : [{ ...row, action }]
  })
}

async function appendedRows(query: Query, { tenantId, filter, page }: AuditListing) {
  const filters = ofEachAction(filter)
  if (filters === null) return await appendedMatching(query, { tenantId, filter, page })
  const whole = { limit: page.offset + page.limit, offset: 0 }
  const found = await Promise.all(
    filters.map((one) => appendedMatching(query, { tenantId, filter: one, page: whole })),
  )
  return found
    .flat()
    .toSorted((a, b) => b.seq - a.seq)
    .slice(page.offset, page.offset + page.limit)
}

// Of each action of a group, as an index has them: one query for all would read or sort a whole log.
function ofEachAction({ group, ...filter }: AuditFilter): AuditFilter[] | null {
  if (group === undefined) return null
  const actions = actionsOf(group).filter((action) => (filter.action ?? action) === action)
  return actions.map((action) => ({ ...filter, action }))
}

function appendedMatching(query: Query, { tenantId, filter, page }: AuditListing) {
  return matching(query, tenantId, filter)
    .select(['seq', 'body', 'origin'])
    .orderBy('seq', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

async function countMatches(query: Query, tenantId: string, filter: AuditFilter): Promise<number | null> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  if (!isFiltered) return keptEntries(query, tenantId)
  const counts = await Promise.all(
    (ofEachAction(filter) ?? [filter]).map((one) => {
      const some = matching(query, tenantId, one)
        .select('seq')
        .limit(COUNTED + 1)
      return countOf(query.selectFrom(some.as('counted')))
    }),
  )
  const total = counts.reduce((sum, count) => sum + count, 0)
  return total > COUNTED ? null : total
}

async function keptEntries(query: Query, tenantId: string): Promise<number> {
  const head = await selectOf(query, 'audit_heads', tenantId).select(['seq', 'first_seq']).executeTakeFirst()
  return head ? head.seq - head.first_seq + 1 : 0
}

// Names of people, and where a key is, are looked up when they are read. Of a program that acts, the log has the id.
async function withNames(query: Query, tenantId: string, entries: AuditEntry[]): Promise<AuditEntry[]> {
  const all = entries.flatMap(({ actor, target }) => [actor, target])
  const keys = entries.flatMap(({ target: { kind, id } }) => (kind === 'key' ? [id] : []))
  const [users, others, bundles] = await Promise.all([
    namesIn(all, 'user', (ids) =>
      query.selectFrom('users').select(['id', 'username as name']).where('id', 'in', ids).execute(),
    ),
    namesIn(all, 'machine', (ids) => programs.named(query, ids)),
    bundlesOf(query, tenantId, keys),
  ])
  const named = <W extends LoggedActor>(who: W): W => {
    if (who.kind === 'user') return { ...who, name: users.get(who.id ?? '') ?? null }
    return { ...who, name: who.name ?? others.get(who.id ?? '') ?? null }
  }
  const placed = (target: AuditEntry['target']) => {
    const own = bundles.get(target.id)
    return own === undefined ? named(target) : { ...target, bundles: own }
  }
  return entries.map((entry) => ({ ...entry, actor: named(entry.actor), target: placed(entry.target) }))
}

type LoggedActor = { kind: string; id: string | null; name: string | null }

/** The names of those of one kind that have none, by id. */
async function namesIn(
  all: readonly LoggedActor[],
  kind: string,
  read: (ids: string[]) => Promise<{ id: string; name: string }[]>,
): Promise<ReadonlyMap<string, string>> {
  const nameless = all.filter((who) => who.kind === kind && who.name === null)
  const ids = new Set(nameless.flatMap(({ id }) => id ?? []))
  const rows = ids.size === 0 ? [] : await read([...ids])
  return new Map(rows.map(({ id, name }) => [id, name]))
}
