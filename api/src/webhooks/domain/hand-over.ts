import type { AuditAction } from '@keyferry/contract'
import type { WebhookEvent } from '@keyferry/contract/webhooks'
import { type AuditEntry, waitsForOthers } from '../../domain/audit/audit.ts'

/*
 * Messages about work that one person hands to another: what waits for a decision, and what was decided. They name the
 * bundle and the person and link to the list of what waits. No request's id, command, e-mail address or value is in
 * them, so nobody can decide with what they read in a chat.
 */

/** What the messages of a tenant need from its library and its people. `people`: usernames by id. */
export type HandOverFacts = { people: ReadonlyMap<string, string>; waitingUrl: string }

type Entry = Pick<AuditEntry, 'action' | 'target' | 'data'> & { actor: { kind: string; id: string | null } }

const TYPES: Partial<Readonly<Record<AuditAction, WebhookEvent>>> = {
  'delivery.first_approved': 'approval.requested',
  'request.returned': 'approval.requested',
  'delivery.approved': 'delivery.approved',
  'delivery.denied': 'delivery.denied',
  'proposal.created': 'proposal.created',
}

/** The type of the message of an entry; null: it makes none. */
export function handOverType(entry: Entry): WebhookEvent | null {
  const isHeld = entry.action === 'delivery.first_approved' && !waitsForOthers(entry)
  return isHeld ? null : (TYPES[entry.action] ?? null)
}

/** Who is named by the message of an entry. */
export function personIn(entry: Entry): string[] {
  return handOverType(entry) === null || entry.actor.id === null ? [] : [entry.actor.id]
}

/** What the message of an entry tells. A request that is denied before anyone chose a bundle has none. */
export function handOver(entry: Entry, { people, waitingUrl: url }: HandOverFacts) {
  const bundle = bundleOf(entry)
  const { kind, id } = entry.actor
  const data = {
    ...(bundle === null ? {} : { bundle }),
    url,
    actor: { kind, id, name: people.get(id ?? '') ?? null },
  }
  return { bundleIds: bundle?.id == null ? [] : [bundle.id], data }
}

type BundleFacts = { id: string | null; name: string | null }

// The bundle of a proposal may not exist yet.
function bundleOf({ target: { kind, id, name }, data: { bundle, into } }: Entry): BundleFacts | null {
  if (kind === 'bundle') return { id, name }
  if (typeof bundle === 'object' && bundle !== null && 'id' in bundle && 'name' in bundle)
    return { id: String(bundle.id), name: String(bundle.name) }
  return typeof into === 'string' ? { id: null, name: into } : null
}
