import type { AuditAction } from '@keyferry/contract'
import { fitting, type Origin } from './origin.ts'
import type { Stamp } from './stamp.ts'

/*
 * An event tells who did what, when and to what. Each change writes one in its own transaction, so that there is no
 * change without its event and no event without its change; when the event cannot be written, the change does not
 * happen.
 *
 * An event has two texts. `body` goes into the audit log for good: ids and names of keys and bundles, never a value,
 * and of people only their ids. `origin` holds what may identify a person (address, browser, host, e-mail); the body
 * keeps its hash, so that an owner can erase it and the log stays whole. Both are built from lists of allowed fields.
 */

/** Who acted. `client`: the terminal that collects a delivery; `operator`: a person at the server's command line;
 * `machine`: a program without a person. A machine that is not known, or a stranger who reports a token, acts as
 * `client`. */
type Actor =
  | { readonly kind: 'user' | 'machine'; readonly id: string }
  | { readonly kind: 'client' | 'operator' | 'server'; readonly id: null }

/** What an event is about. A person's name is never kept; `name` is null then. */
type Target = {
  readonly kind: 'key' | 'bundle' | 'user' | 'invitation' | 'tenant' | 'request' | 'machine' | 'webhook'
  readonly id: string
  readonly name: string | null
}

/** A key or bundle that an event mentions beside its target. */
type Mentioned = { readonly id: string; readonly name: string }

/** What an event may tell beyond its target. To tell more, add a field here and in DATA_FIELDS; never a value of a
 * key. */
export type EventData = {
  readonly key?: Mentioned
  readonly bundle?: Mentioned
  /** The key whose place `key` took. */
  readonly replaced?: Mentioned
  /** The id that ties the events of one delivery together. */
  readonly delivery?: string
  /** The id that ties the events of one deposit together. */
  readonly deposit?: string
  /** The id of a proposal, which is that of its deposit. */
  readonly proposal?: string
  /** The name of the bundle of a deposit, which may not exist yet. */
  readonly into?: string
  /** A version of the target's value. */
  readonly version?: number
  readonly restored_from?: number
  /** Of a moved value: when it last changed on the other server. A claim of the moved file. */
  readonly changed_elsewhere_at?: string
  readonly role?: string
  /** What a machine may do with `bundle`. */
  readonly scope?: string
  /** The id and the end of a machine's token. */
  readonly token?: string
  readonly hint?: string
  /** The token that `token` takes the place of. */
  readonly replaced_token?: string
  /** Which ID tokens prove a machine. */
  readonly trust?: string
  readonly issuer?: string
  readonly audience?: string
  /** Each as `name=value`. */
  readonly claims?: readonly string[]
  readonly binding?: string
  readonly is_broad?: boolean
  readonly networks?: readonly string[]
  readonly expires_at?: string
  readonly ends_at?: string
  /** Where a leaked token was found, as the reporter says. */
  readonly url?: string
  readonly invitation?: string
  readonly is_secret?: boolean
  readonly is_template?: boolean
  /** Of a machine: whether it may call, and read the audit log. */
  readonly is_active?: boolean
  readonly audit?: boolean
  readonly required?: boolean
  readonly position?: number
  /** The name under which the bundle delivers the key. */
  readonly as?: string
  readonly format?: string
  readonly revealed?: boolean
  /** Names of what changed: fields of a bundle or a key. */
  readonly changed?: readonly string[]
  readonly reason?: string
  /** How an approval returns to the terminal. */
  readonly release?: string
  /** The id of a remembered approval. */
  readonly grant?: string
  readonly hours?: number
  /** The id of the person who approved first, where two had to. */
  readonly first?: string
  /** The id of the person whose terminal asked, where another one approved. */
  readonly vouched_by?: string
  /** Rules of a policy that changed, as `assurance: bound`. */
  readonly rules?: readonly string[]
  readonly created?: number
  readonly updated?: number
  /** How many names the bundle no longer delivers. */
  readonly removed?: number
  readonly epoch?: number
  readonly epoch_before?: number
  /** The newest entry at a restore. */
  readonly seq?: number
  readonly through?: number
  readonly hash?: string
  readonly count?: number
  /** Names of variables; at most 100 are kept, and `names_count` says how many there were. */
  readonly names?: readonly string[]
  /** Keys whose copies come under weaker rules; cut as `names`. */
  readonly weaker?: readonly string[]
  /** Names of variables with the version of each value; cut as `names`. */
  readonly versions?: readonly (readonly [name: string, version: number])[]
  /** As `versions`, of values that a delivery holds only as parts of composed values. */
  readonly parts?: readonly (readonly [name: string, version: number])[]
}

const DATA_FIELDS = [
  'key',
  'bundle',
  'replaced',
  'delivery',
  'deposit',
  'proposal',
  'into',
  'version',
  'restored_from',
  'changed_elsewhere_at',
  'role',
  'scope',
  'token',
  'hint',
  'replaced_token',
  'trust',
  'issuer',
  'audience',
  'binding',
  'is_broad',
  'networks',
  'expires_at',
  'ends_at',
  'url',
  'invitation',
  'is_secret',
  'is_template',
  'is_active',
  'audit',
  'required',
  'position',
  'as',
  'format',
  'revealed',
  'changed',
  'reason',
  'release',
  'first',
  'vouched_by',
  'grant',
  'hours',
  'rules',
  'created',
  'updated',
  'removed',
  'epoch',
  'epoch_before',
  'seq',
  'through',
  'hash',
  'count',
] as const satisfies readonly (keyof EventData)[]

export type Event = {
  readonly tenantId: string
  readonly action: AuditAction
  /** ISO timestamp. */
  readonly at: string
  readonly actor: Actor
  readonly target: Target
  readonly data?: EventData
  readonly origin: Origin | null
}

/** Whether a bundle may deliver other values after this event. */
export function changesValues({ action }: Pick<Event, 'action'>): boolean {
  return /^(?:key|bundle|item)\./.test(action)
}

/** Records an event that no change in the database goes with: an export, say. */
export interface EventStore {
  /** @throws DomainError unavailable: it could not be written, so what it tells about must not happen */
  record(event: Event): Promise<void>
}

/** The fields that an event takes from the stamp of its change. */
export function madeBy({ by, at, origin }: Stamp): Pick<Event, 'actor' | 'at' | 'origin'> {
  return { actor: { kind: 'user', id: by }, at, origin }
}

const BODY_BYTES = 4_096
const NAMES = 100

/** The text of an event's body, at most 4 KiB: JSON with its members in a fixed order. Long lists of names are cut. */
export function eventBody(event: Event, { id, personal }: { id: string; personal: string | null }): string {
  const { at, action, actor, target } = event
  return fitting(NAMES, BODY_BYTES, (names) =>
    JSON.stringify({
      id,
      at,
      action,
      actor: { kind: actor.kind, id: actor.id },
      target: { kind: target.kind, id: target.id, name: target.name },
      data: allowedData(event.data ?? {}, names),
      personal,
    }),
  )
}

function allowedData(data: EventData, most: number): object {
  const told = DATA_FIELDS.flatMap((field) =>
    data[field] === undefined ? [] : [[field, allowed(data[field])]],
  )
  return {
    ...Object.fromEntries(told),
    ...cut('names', data.names, most),
    ...cut('weaker', data.weaker, most),
    ...cut('versions', data.versions, most),
    ...cut('claims', data.claims, most),
    ...cut('parts', data.parts, most),
  }
}

function allowed(value: NonNullable<EventData[(typeof DATA_FIELDS)[number]]>): unknown {
  if (typeof value !== 'object') return value
  return 'id' in value ? { id: value.id, name: value.name } : value
}

function cut(
  field: 'names' | 'weaker' | 'versions' | 'parts' | 'claims',
  list: readonly unknown[] | undefined,
  most: number,
): object {
  if (list === undefined) return {}
  if (list.length <= most) return { [field]: list }
  return { [field]: list.slice(0, most), [`${field}_count`]: list.length }
}
