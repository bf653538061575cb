import { AUDIT_ACTIONS, type AuditAction, ORIGIN_OWNERS } from '@keyferry/contract'
import { eventMac } from '@keyferry/crypto/audit-chain'
import type { AuditKey } from '@keyferry/crypto/audit-key'
import { entryOf } from '../../domain/audit/audit.ts'
import { emailKey } from '../../domain/base/email.ts'
import { madeByOperator } from '../../domain/base/event.ts'
import { turn } from '../../domain/base/turns.ts'
import type { Queries, Query } from '../base/queries.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'

/*
 * Erasing a person: what may identify them leaves the logs (`origin`) and the deliveries (`label`). The hashed text of
 * an entry contains only their id, so every chain stays whole.
 */

/** `origins`: how many entries lost their origin. */
export type Forgotten = { readonly userId: string; readonly tenants: number; readonly origins: number }

/** Several users have the address, as accounts of an identity provider may. */
class SeveralPeople extends Error {
  override readonly name = 'SeveralPeople'
}

/** What tells a person's events in one tenant from those of others. `ids`: of their deliveries and remembered
 * approvals. */
type Theirs = { id: string; email: string; ids: Set<string>; hasDeliveries: boolean }

type Subject = { id: string; emailKey: string }
type Forgetting = { person: Subject; now: string } & Pick<AuditKey, 'mac'>

/** Erase a person from the logs of all tenants, and record that in each.
 * @param who a user's id or e-mail address
 * @returns null when no user has it
 * @throws SeveralPeople */
export async function forgetPerson(
  queries: Queries,
  { who, ...options }: { who: string } & Omit<Forgetting, 'person'>,
): Promise<Forgotten | null> {
  const person = await findPerson(queries.query, who)
  if (!person) return null
  // A log has a head once its first entry is appended.
  const waiting = queries.query.selectFrom('events').select('tenant_id')
  const logs = await queries.query.selectFrom('audit_heads').select('tenant_id').union(waiting).execute()
  let [tenants, origins] = [0, 0]
  for (const { tenant_id } of logs) {
    const erased = await forgetIn(queries, tenant_id, { person, ...options })
    if (erased === null) continue
    tenants += 1
    origins += erased
  }
  return { userId: person.id, tenants, origins }
}

async function findPerson(query: Query, who: string): Promise<Subject | null> {
  const rows = await query
    .selectFrom('users')
    .select(['id', 'email_key'])
    .where((either) => either.or([either('id', '=', who), either('email_key', '=', emailKey(who))]))
    .execute()
  if (rows.length > 1) {
    throw new SeveralPeople(
      `several users have this address; name one by its id: ${rows.map(({ id }) => id).join(', ')}`,
    )
  }
  const [row] = rows
  return row ? { id: row.id, emailKey: row.email_key } : null
}

// The outbox first, so that entries appended during this work are in the log.
async function forgetIn(queries: Queries, tenantId: string, forgetting: Forgetting): Promise<number | null> {
  const { person, now } = forgetting
  const theirs = await knownBy(queries.query, tenantId, person)
  const isTheirs: IsTheirs = (row) => isAbout(row, theirs)
  const origins =
    (await forgetWaiting(queries, tenantId, { isTheirs, mac: forgetting.mac })) +
    (await forgetAppended(queries, tenantId, { isTheirs, person }))
  if (origins === 0 && !theirs.hasDeliveries) return null
  await queries.write(async (transaction) => {
    await transaction
      .updateTable('deliveries')
      .set({ label: null })
      .where('tenant_id', '=', tenantId)
      .where((row) => row.or([row('user_id', '=', person.id), row('voucher_id', '=', person.id)]))
      .execute()
    await updateOf(transaction, 'proposals', { tenantId, user_id: person.id }).set({ sender: null }).execute()
    const target = { kind: 'user', id: person.id, name: null } as const
    const event = { tenantId, action: 'person.forgotten', target, data: { count: origins } } as const
    transaction.record({ ...madeByOperator(now), ...event })
  })
  return origins
}

// The events of another actor name them by these ids.
async function knownBy(query: Query, tenantId: string, { id, emailKey: email }: Subject): Promise<Theirs> {
  const [deliveries, grants] = await Promise.all([
    selectOf(query, 'deliveries', tenantId)
      .select('id')
      .where((row) => row.or([row('user_id', '=', id), row('voucher_id', '=', id)]))
      .execute(),
    selectOf(query, 'grants', tenantId).select('id').where('user_id', '=', id).execute(),
  ])
  const ids = new Set([...deliveries, ...grants].map((row) => row.id))
  return { id, email, ids, hasDeliveries: deliveries.length > 0 }
}

// What they did, what was done to them, and what the action says besides.
function isAbout({ body, origin }: { body: string; origin: string | null }, theirs: Theirs): boolean {
  if (origin === null) return false
  const { action, actor, target, data, origin: decoded } = entryOf(body, origin)
  const { delivery, grant, vouched_by: voucherId } = data
  // The rows of old deliveries and grants are deleted. Their first event comes before all others about them.
  const isBegun =
    action === 'delivery.remembered'
      ? theirs.ids.has(String(grant))
      : BEGINNINGS.has(action) && (actor.id === theirs.id || voucherId === theirs.id)
  if (isBegun) theirs.ids.add(String(delivery ?? grant))
  if (actor.id === theirs.id || target.id === theirs.id) return true
  const owner = ORIGIN_OWNERS[action]
  if (owner === 'actor') return false
  if (owner === 'email')
    return decoded?.['email'] !== undefined && emailKey(decoded['email']) === theirs.email
  const id = data[owner]
  return typeof id === 'string' && theirs.ids.has(id)
}

const BEGINNINGS: ReadonlySet<AuditAction> = new Set(['delivery.approved', 'grant.created'])

type IsTheirs = (row: { body: string; origin: string | null }) => boolean

// It locks the head as an append does. Otherwise an append that has read the events could write what is erased here.
async function forgetWaiting(
  { write, lock }: Queries,
  tenantId: string,
  { isTheirs, mac: key }: { isTheirs: IsTheirs } & Pick<AuditKey, 'mac'>,
): Promise<number> {
  return await write(async (transaction) => {
    await selectOf(transaction, 'audit_heads', tenantId).select('tenant_id').modifyEnd(lock).execute()
    const rows = await selectOf(transaction, 'events', tenantId)
      .select(['position', 'body', 'origin'])
      .where('origin', 'is not', null)
      .execute()
    const theirs = rows.filter(isTheirs)
    for (const { position, body } of theirs) {
      await updateOf(transaction, 'events', { tenantId, position })
        .set({ origin: null, mac: eventMac({ tenantId, body, origin: null }, key) })
        .execute()
    }
    return theirs.length
  })
}

const ROWS_AT_ONCE = 1_000

async function forgetAppended(
  { query }: Queries,
  tenantId: string,
  { isTheirs, person }: { isTheirs: IsTheirs; person: Subject },
): Promise<number> {
  let erased = 0
  for (let last = 0; ; ) {
    const rows = await mayBeTheirs(query, { tenantId, person, last })
    const seqs = rows.filter(isTheirs).map(({ seq }) => seq)
    if (seqs.length > 0) {
      await query
        .updateTable('audit_log')
        .set({ origin: null })
        .where('tenant_id', '=', tenantId)
        .where('seq', 'in', seqs)
        .execute()
    }
    erased += seqs.length
    if (rows.length < ROWS_AT_ONCE) return erased
    last = rows.at(-1)?.seq ?? last
    await turn()
  }
}

/** Actions whose origin may be of a person who is neither actor nor target: their terminal, or their address. */
const OF_OTHERS = AUDIT_ACTIONS.filter((action) => ORIGIN_OWNERS[action] !== 'actor')

function mayBeTheirs(
  query: Query,
  { tenantId, person, last }: { tenantId: string; person: Subject; last: number },
) {
  return query
    .selectFrom('audit_log')
    .select(['seq', 'body', 'origin'])
    .where('tenant_id', '=', tenantId)
    .where('seq', '>', last)
    .where('origin', 'is not', null)
    .where((either) =>
      either.or([
        either('actor_id', '=', person.id),
        either('target_id', '=', person.id),
        either('action', 'in', OF_OTHERS),
      ]),
    )
    .orderBy('seq')
    .limit(ROWS_AT_ONCE)
    .execute()
}
