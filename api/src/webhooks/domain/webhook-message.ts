import type { WebhookEvent } from '@keyferry/contract/webhooks'
import type { AuditEntry } from '../../domain/audit/audit.ts'
import { type HandOverFacts, handOver, handOverType } from './hand-over.ts'
import type { ChangedKey, MessageData } from './webhook-body.ts'

/*
 * Which messages the entries of an audit log make. Entries that change what a bundle delivers make `bundle.changed`
 * for each such bundle. Messages that may come often have a `mergeKey`: the changes of the same thing that one append
 * adds share one message (webhook-body.ts).
 */

/** `bundleIds`: the bundles that the message is about, which a webhook may be limited to; null: about no bundle. */
export type MessageDraft = {
  type: WebhookEvent
  bundleIds: readonly string[] | null
  mergeKey: string | null
  at: string
  data: MessageData
}

/** Where a key is: the bundle, and the name under which it delivers the key. */
type KeyPlace = { keyId: string; bundle: MessageTarget; name: string }

type MessageTarget = { id: string; name: string | null }

/** What messages are made of: an appended entry without its origin. */
export type LoggedEntry = Pick<AuditEntry, 'at' | 'action' | 'target' | 'data'> & {
  seq: number
  actor: { kind: string; id: string | null }
}

type Rule = (entry: LoggedEntry, places: readonly KeyPlace[]) => readonly MessageDraft[]

// The actions of other modules may be unknown.
const RULES: Readonly<Record<string, Rule>> = {
  'bundle.created': (entry) => [aboutBundle('bundle.created', entry)],
  'bundle.duplicated': (entry) => [aboutBundle('bundle.created', entry)],
  'bundle.deleted': (entry) => [aboutBundle('bundle.deleted', entry)],
  'bundle.changed': (entry) => (names(entry.data['changed']).includes('name') ? [changed(entry, [])] : []),
  'bundle.attached': (entry, places) => [changed(entry, deliveredKey(entry, places, 'attached'))],
  'bundle.detached': (entry, places) => [changed(entry, deliveredKey(entry, places, 'detached'))],
  'bundle.attachment_changed': (entry, places) => attachmentChanged(entry, places),
  'bundle.split': (entry, places) => [changed(entry, deliveredKey(entry, places, 'value'))],
  'bundle.imported': (entry) => [changed(entry, namedKeys(entry, 'imported'), isCut(entry))],
  'item.changed': (entry) => [changed(entry, namedKeys(entry, 'value'), isCut(entry))],
  'item.deleted': (entry) => [changed(entry, namedKeys(entry, 'detached'), isCut(entry))],
  'key.changed': valueChanged,
  'key.restored': valueChanged,
  'key.deleted': (entry) => [about('key.deleted', entry, { bundleIds: [], data: { key: named(entry) } })],
  'delivery.refused': (entry) => [refused(entry)],
  'token.expiring': (entry) => [
    aboutToken('token.expiring', entry, { expires_at: text(entry.data['expires_at']) }),
  ],
  'token.ended': (entry) => [aboutToken('token.ended', entry, { reason: 'ended' })],
  'token.reported': (entry) => [aboutToken('token.ended', entry, { reason: 'reported' })],
  'member.joined': (entry) => [aboutMember('member.joined', entry)],
  'member.removed': (entry) => [aboutMember('member.removed', entry)],
  'webhook.disabled': (entry) => {
    const data = { webhook: named(entry), reason: text(entry.data['reason']) }
    return [about('webhook.disabled', entry, { data })]
  },
}

/** Whether an entry can make a message. */
export function makesMessage(entry: LoggedEntry): boolean {
  return RULES[entry.action] !== undefined || handOverType(entry) !== null
}

/** The keys whose places the messages of an entry tell. */
export function keysIn({ target, data }: LoggedEntry): readonly string[] {
  const { key } = data
  const isKey = typeof key === 'object' && key !== null && 'id' in key && typeof key.id === 'string'
  return [...(target.kind === 'key' ? [target.id] : []), ...(isKey ? [String(key.id)] : [])]
}

/** `places`: where the keys of the entries are. */
type MessageFacts = HandOverFacts & { places: ReadonlyMap<string, readonly KeyPlace[]> }

/** The messages of entries, in their order. */
export function messagesOf(
  entries: readonly LoggedEntry[],
  { places, ...facts }: MessageFacts,
): MessageDraft[] {
  return entries.flatMap((entry) => {
    const type = handOverType(entry)
    if (type !== null) return [about(type, entry, handOver(entry, facts))]
    const ofKeys = keysIn(entry).flatMap((id) => places.get(id) ?? [])
    return RULES[entry.action]?.(entry, ofKeys) ?? []
  })
}

/** The message of the first append of a day: its note, for a receiver that keeps notes outside the server. */
export function checkpoint({ seq, hash, note, at }: { seq: number; hash: string; note: string; at: string }) {
  return {
    type: 'audit.checkpoint',
    bundleIds: null,
    mergeKey: null,
    at,
    data: { seq, hash, note },
  } as const satisfies MessageDraft
}

type About = {
  bundleIds?: readonly string[] | null
  mergeKey?: string | null
  data: Record<string, unknown>
}

function about(
  type: WebhookEvent,
  { seq, at, actor: { kind, id } }: LoggedEntry,
  { bundleIds = null, mergeKey = null, data }: About,
): MessageDraft {
  return { type, bundleIds, mergeKey, at, data: { seq, ...data, actor: data['actor'] ?? { kind, id } } }
}

function aboutBundle(type: 'bundle.created' | 'bundle.deleted', entry: LoggedEntry): MessageDraft {
  const bundle = named(entry)
  return about(type, entry, { bundleIds: [bundle.id], data: { bundle } })
}

function changed(
  entry: LoggedEntry,
  keys: readonly ChangedKey[],
  keys_truncated = false,
  bundle = named(entry),
): MessageDraft {
  const data = { bundle, keys, ...(keys_truncated ? { keys_truncated } : {}) }
  const mergeKey = `bundle.changed ${bundle.id}`
  return about('bundle.changed', entry, { bundleIds: [bundle.id], mergeKey, data })
}

function valueChanged(entry: LoggedEntry, places: readonly KeyPlace[]): MessageDraft[] {
  const version = number(entry.data['version'])
  const data = { key: named(entry), version }
  const bundleIds = places.map(({ bundle }) => bundle.id)
  return [
    about('key.changed', entry, { bundleIds, mergeKey: `key.changed ${entry.target.id}`, data }),
    ...places.map(({ bundle, name }) => changed(entry, [{ name, change: 'value', version }], false, bundle)),
  ]
}

// Whether a key is required changes nothing that the bundle delivers.
function attachmentChanged(entry: LoggedEntry, places: readonly KeyPlace[]): MessageDraft[] {
  const { data } = entry
  if (data['replaced'] !== undefined) return [changed(entry, deliveredKey(entry, places, 'value'))]
  return data['as'] === undefined ? [] : [changed(entry, deliveredKey(entry, places, 'renamed'))]
}

function deliveredKey(
  { target, data }: LoggedEntry,
  places: readonly KeyPlace[],
  change: ChangedKey['change'],
): ChangedKey[] {
  const place = places.find(({ bundle }) => bundle.id === target.id)
  const { key, as } = data
  const isNamed = typeof key === 'object' && key !== null && 'name' in key
  const name = typeof as === 'string' ? as : (place?.name ?? (isNamed ? text(key.name) : null))
  return name === null ? [] : [{ name, change, version: null }]
}

function namedKeys({ data }: LoggedEntry, change: ChangedKey['change']): ChangedKey[] {
  return names(data['names']).map((name) => ({ name, change, version: null }))
}

// An event keeps the first names of a long list, and how many there were.
function isCut({ data }: LoggedEntry): boolean {
  return data['names_count'] !== undefined
}

function refused(entry: LoggedEntry): MessageDraft {
  const machine = named(entry)
  const data = { machine, reason: text(entry.data['reason']), count: number(entry.data['count']) ?? 1 }
  return about('machine.refused', entry, { mergeKey: `machine.refused ${machine.id}`, data })
}

function aboutToken(type: 'token.expiring' | 'token.ended', entry: LoggedEntry, ended: object): MessageDraft {
  const { token, hint } = entry.data
  const data = { machine: named(entry), token: { id: text(token), hint: text(hint) }, ...ended }
  return about(type, entry, { data })
}

function aboutMember(type: 'member.joined' | 'member.removed', entry: LoggedEntry): MessageDraft {
  const role = text(entry.data['role'])
  const data = { user: { id: entry.target.id }, ...(role === null ? {} : { role }) }
  return about(type, entry, { data })
}

function named({ target: { id, name } }: LoggedEntry): MessageTarget {
  return { id, name }
}

function names(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
