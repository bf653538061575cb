import { AUDIT_ACTIONS, type AuditAction, type BundlesOfKey } from '@keyferry/contract'
import { type AuditGroup, auditGroupOf } from '@keyferry/contract/audit-groups'
import { z } from 'zod'
import type { WholePage } from '../base/listing.ts'

/*
 * The audit log of a tenant: its events, numbered from 1 without gaps, each hashed together with the hash before it. An
 * entry's text never changes. An event waits in the outbox until it is appended, about a quarter of a second; owners
 * read both. See docs/audit.md for the format.
 */

const EventBody = z.object({
  seq: z.int().optional(),
  id: z.string(),
  at: z.string(),
  action: z.enum(AUDIT_ACTIONS),
  actor: z.object({
    kind: z.enum(['user', 'machine', 'client', 'operator', 'server']),
    id: z.string().nullable(),
  }),
  target: z.object({
    kind: z.enum(['key', 'bundle', 'user', 'group', 'invitation', 'tenant', 'request', 'machine', 'webhook']),
    id: z.string(),
    name: z.string().nullable(),
  }),
  data: z.record(z.string(), z.unknown()),
})

const Origin = z.record(z.string(), z.string())

type WithName<T> = T & { name: string | null }

/** One event as owners read it. `seq` is null until it is appended; `name` of a person is the username, null once the
 * user is gone. */
export type AuditEntry = Omit<z.output<typeof EventBody>, 'seq' | 'actor' | 'target'> & {
  seq: number | null
  sealed: boolean
  actor: WithName<z.output<typeof EventBody>['actor']>
  /** `bundles`: those that have the key now, as far as the reader reaches them. */
  target: z.output<typeof EventBody>['target'] & { bundles?: z.output<typeof BundlesOfKey> }
  origin: Record<string, string> | null
}

export type AuditFilter = {
  /** Only entries with a smaller number. */
  before?: number | undefined
  /** Only entries with a larger number. */
  after?: number | undefined
  /** ISO timestamps: from this moment, up to and without that one. */
  from?: string | undefined
  to?: string | undefined
  actor?: string | undefined
  action?: string | undefined
  target?: string | undefined
  group?: AuditGroup | undefined
}

/** What of an entry is counted. */
export type CountedEntry = {
  at: string
  action: AuditAction
  actor_id: string | null
  target_id: string
}

/** `total` is null where there are more matches than are counted. */
export type AuditPage = { entries: AuditEntry[]; total: number | null }

/** Part of a chain: entries `from` to `to`, each as one line of JSON, and a signed note of the head. */
type AuditExport = { lines: AsyncIterable<string> }

export interface AuditStore {
  /** The newest first; waiting ones on top. */
  list(tenantId: string, filter: AuditFilter, page: WholePage): Promise<AuditPage>
  /** The newest appended entries that match, to be counted, at most `limit`. */
  listCounted(tenantId: string, filter: AuditFilter, limit: number): Promise<CountedEntry[]>
  export(tenantId: string, range: { from: number; to: number }): AuditExport
  /** The newest signed note; null when nothing is appended yet. */
  note(tenantId: string): Promise<string | null>
  /** The key that verifies the notes, as C2SP writes it. */
  readonly verifierKey: string
}

/** The actions of a group. */
export function actionsOf(group: AuditGroup): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) => auditGroupOf(action) === group)
}

const BEGINS_TO_WAIT: ReadonlySet<AuditAction> = new Set([
  'delivery.first_approved',
  'request.returned',
  'proposal.created',
])

/** Whether other people now decide. A first approval that is on its way to its terminal waits for nobody before its
 * return. */
export function waitsForOthers({ action, data }: Pick<AuditEntry, 'action' | 'data'>): boolean {
  const isOnItsWay = action === 'delivery.first_approved' && data['release'] !== undefined
  return BEGINS_TO_WAIT.has(action) && !isOnItsWay
}

/** The columns by which an entry is found, from its text. */
export function indexOf(body: string) {
  const { at, action, actor, target } = EventBody.parse(JSON.parse(body))
  return { at, action, actor_id: actor.id, target_id: target.id }
}

/** An entry or a waiting event, from its texts. */
export function entryOf(body: string, origin: string | null): AuditEntry {
  const { seq = null, actor, ...event } = EventBody.parse(JSON.parse(body))
  const known = origin === null ? null : withoutSalt(Origin.parse(JSON.parse(origin)))
  return {
    ...event,
    seq,
    sealed: seq !== null,
    actor: { ...actor, name: null },
    // A workspace's name may contain a person's, so it is outside the hashed text.
    target: { ...event.target, name: event.target.name ?? known?.['workspace'] ?? null },
    origin: known,
  }
}

function withoutSalt(origin: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(origin).filter(([field]) => field !== 'salt'))
}
