import type { AuditAction } from '@keyferry/contract'
import { z } from 'zod'
import { fitting, type Origin } from './origin.ts'
import type { Stamp } from './stamp.ts'

/*
 * An event tells who did what, when and to what. Each change writes one in its own transaction, so that there is no
 * change without its event and no event without its change; when the event cannot be written, the change does not
 * happen.
 *
 * An event has two texts. `body` goes into the audit log for good: ids and names of keys and bundles, never a value,
 * and of people only their ids. `origin` contains what may identify a person (address, browser, host, e-mail); the body
 * keeps its hash, so that an owner can erase it and the log stays whole. Both are built from lists of allowed fields.
 */

/** Who acted. `client`: the terminal that collects a delivery; `operator`: a person at the server's command line;
 * `machine`: a program without a person. A machine that is not known, or a stranger who reports a token, acts as
 * `client`. */
type Actor =
  | { readonly kind: 'user' | 'machine'; readonly id: string }
  | { readonly kind: 'client' | 'operator' | 'server'; readonly id: null }

/** What an event is about. The name of a person or a workspace is not kept here; `name` is null then. */
type EventTarget = {
  readonly kind:
    | 'key'
    | 'bundle'
    | 'user'
    | 'group'
    | 'invitation'
    | 'tenant'
    | 'request'
    | 'machine'
    | 'webhook'
  readonly id: string
  readonly name: string | null
}

/** A key or bundle beside the target. */
const Mentioned = z.object({ id: z.string(), name: z.string() })
const Names = z.array(z.string()).readonly()
const Versions = z.array(z.tuple([z.string(), z.number()]).readonly()).readonly()

/** What an event may tell beyond its target, in the order of its body. To tell more, add a field here; never a key's
 * value. */
const DataFields = z.object({
  key: Mentioned,
  bundle: Mentioned,
  /** The key whose place `key` took. */
  replaced: Mentioned,
  /** The id that ties the events of one delivery together. */
  delivery: z.string(),
  /** The id that ties the events of one deposit together. */
  deposit: z.string(),
  /** The id of a proposal, which is that of its deposit. */
  proposal: z.string(),
  /** The name of the bundle of a deposit, which may not exist yet. */
  into: z.string(),
  /** A version of the target's value. */
  version: z.number(),
  restored_from: z.number(),
  /** Of a moved value: when it last changed on the other server. A claim of the moved file. */
  changed_elsewhere_at: z.string(),
  role: z.string(),
  /** What a program may do with `bundle`. */
  scope: z.string(),
  /** The id and the end of a program's token. */
  token: z.string(),
  hint: z.string(),
  /** The token that `token` takes the place of. */
  replaced_token: z.string(),
  /** Which ID tokens prove a program. */
  trust: z.string(),
  issuer: z.string(),
  audience: z.string(),
  binding: z.string(),
  is_broad: z.boolean(),
  networks: Names,
  expires_at: z.string(),
  ends_at: z.string(),
  /** Where a leaked token was found, as the reporter says. */
  url: z.string(),
  invitation: z.string(),
  is_secret: z.boolean(),
  is_template: z.boolean(),
  /** Of a program: whether it may call, and read the audit log. */
  is_active: z.boolean(),
  audit: z.boolean(),
  required: z.boolean(),
  position: z.number(),
  /** The name under which the bundle delivers the key. */
  as: z.string(),
  format: z.string(),
  revealed: z.boolean(),
  /** Names of what changed: fields of a bundle or a key. */
  changed: Names,
  reason: z.string(),
  /** How an approval returns to the terminal. */
  release: z.string(),
  /** The id of the person who approved first, where two had to. */
  first: z.string(),
  /** The id of the person whose terminal asked, where another one approved. */
  vouched_by: z.string(),
  /** The id of the person whose membership moved. */
  person: z.string(),
  /** The id of a link between two ways to sign in. */
  link: z.string(),
  /** The id of a signing key. */
  approval_key: z.string(),
  /** The id of a remembered approval. */
  grant: z.string(),
  hours: z.number(),
  /** `once`: it is for the next run only. `task`: it is a task. */
  once: z.literal(true),
  task: z.literal(true),
  /** Of the bundles whose rules changed, such as `prod/`. */
  folder: z.string(),
  /** What a member is limited to; empty: no longer to anything. Of a group: what it adds to limits. */
  limited_to: Names,
  /** Ids of people who came into a group, and who left it. */
  people_added: Names,
  people_removed: Names,
  /** Ids of the groups of an invitation. */
  groups: Names,
  /** Rules of a policy that changed, as `assurance: bound`. */
  rules: Names,
  created: z.number(),
  updated: z.number(),
  /** How many names the bundle no longer delivers. */
  removed: z.number(),
  epoch: z.number(),
  epoch_before: z.number(),
  /** The newest entry at a restore. */
  seq: z.number(),
  through: z.number(),
  hash: z.string(),
  count: z.number(),
})

/** Long lists, of which an event keeps the beginning. */
const CutFields = z.object({
  /** Names of variables; at most 100 are kept, and `names_count` says how many there were. */
  names: Names,
  /** Names whose values the approver typed; cut as `names`. */
  typed: Names,
  /** Keys whose copies come under weaker rules; cut as `names`. */
  weaker: Names,
  /** Variables whose values an import took from other bundles, as `NAME from dev/app`; cut as `names`. */
  copied: Names,
  /** Names of variables with the version of each value; cut as `names`. */
  versions: Versions,
  /** Each as `name=value`. */
  claims: Names,
  /** As `versions`, of values that a delivery contains only as parts of composed values. */
  parts: Versions,
})

export type EventData = Readonly<Partial<z.input<typeof DataFields> & z.input<typeof CutFields>>>

export type Event = {
  readonly tenantId: string
  readonly action: AuditAction
  /** ISO timestamp. */
  readonly at: string
  readonly actor: Actor
  readonly target: EventTarget
  readonly data?: EventData
  /** Versions of rows that decide, as `memberships 0196… 1764212345678`. */
  readonly rows?: readonly string[]
  readonly origin: Origin | null
}

export function ofTenant(id: string): EventTarget {
  return { kind: 'tenant', id, name: null }
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

/** The fields that an event takes from the stamp of its change. If the change is in another tenant, set
 * `tenantId` after spreading these. */
export function madeBy({ tenantId, by, ...moment }: Stamp): Pick<Event, 'tenantId' | keyof EventOrigin> {
  return { tenantId, actor: { kind: 'user', id: by }, ...moment }
}

/** Who made a change that has no stamp, when, and where from. */
export type EventOrigin = Pick<Event, 'actor' | 'at' | 'origin'>

export function madeByServer(at: string): EventOrigin {
  return { actor: { kind: 'server', id: null }, at, origin: null }
}

export function madeByOperator(at: string): EventOrigin {
  return { actor: { kind: 'operator', id: null }, at, origin: null }
}

const BODY_BYTES = 4_096
const NAMES = 100

type EventFrame = { id: string; personal: string | null }

/** The text of an event's body, at most 4 KiB: JSON with its members in a fixed order. Long lists of names are cut. */
export function eventBody(event: Event, { id, personal }: EventFrame): string {
  const { at, action, actor, target, rows = [] } = event
  return fitting(NAMES, BODY_BYTES, (names) =>
    JSON.stringify({
      id,
      at,
      action,
      actor: { kind: actor.kind, id: actor.id },
      target: { kind: target.kind, id: target.id, name: target.name },
      data: allowedData(event.data ?? {}, names),
      ...(rows.length === 0 ? {} : { rows: rows.slice(0, names) }),
      personal,
    }),
  )
}

const DATA_FIELDS = DataFields.keyof().options
const CUT_FIELDS = CutFields.keyof().options

function allowedData(data: EventData, most: number): object {
  // Most events set few fields; skip the rest.
  const scalars = DATA_FIELDS.filter((field) => data[field] !== undefined).map((field) => [
    field,
    allowed(data[field]),
  ])
  const lists = CUT_FIELDS.flatMap((field) => cut(field, data[field] ?? null, most))
  return Object.fromEntries([...scalars, ...lists])
}

function allowed(value: EventData[keyof EventData]): unknown {
  return typeof value === 'object' && 'id' in value ? { id: value.id, name: value.name } : value
}

function cut(field: string, list: readonly unknown[] | null, most: number): [string, unknown][] {
  if (list === null) return []
  if (list.length <= most) return [[field, list]]
  return [
    [field, list.slice(0, most)],
    [`${field}_count`, list.length],
  ]
}
