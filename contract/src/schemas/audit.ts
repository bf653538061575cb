import { z } from 'zod'
import { AUDIT_ACTIONS } from '../audit-actions.ts'
import { AUDIT_GROUPS } from '../audit-groups.ts'
import { BundlesOfKey } from './delivery.ts'
import { Id, object, Page, PathPart, Timestamp } from './text.ts'

/** What both databases hold as an integer. */
const LAST_SEQUENCE = 2_147_483_647

const MOST_DAYS = 31
const WRONG_DAYS = `days must be a whole number from 1 to ${MOST_DAYS}`

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const Sequence = (field: string) =>
  z.coerce
    .number({ error: `${field} must be a whole number` })
    .int(`${field} must be a whole number`)
    .min(0)
    .max(LAST_SEQUENCE, `${field} must be at most ${LAST_SEQUENCE}`)

const Moment = (field: string) => z.iso.datetime({ error: `${field} must be an ISO timestamp in UTC` })

/** `before`, `after`: entry numbers; `from`, `to`: times, `to` itself excluded; `actor`, `target`: ids. `group`: only
 * actions of that kind. `stories=1`: each entry says which story it belongs to. */
export const AuditQuery = Page.extend({
  before: Sequence('before').optional(),
  after: Sequence('after').optional(),
  from: Moment('from').optional(),
  to: Moment('to').optional(),
  actor: PathPart('actor').optional(),
  action: z.enum(AUDIT_ACTIONS, { error: 'action must be a known action' }).optional(),
  target: PathPart('target').optional(),
  group: z.enum(AUDIT_GROUPS, { error: `group must be one of ${AUDIT_GROUPS.join(', ')}` }).optional(),
  stories: z.enum(['0', '1'], { error: 'stories must be 0 or 1' }).optional(),
})

/** Of what the caller did. */
export const OwnAuditQuery = AuditQuery.omit({ actor: true })

const Who = z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() })

/** `seq` is null while the event waits to be sealed. `story`, if the query asks for it: the same for all entries of one
 * delivery, one deposit, or the calls of a machine for a bundle within an hour. `data` holds names and numbers, never a
 * value; `origin` is null once it was erased. `target.bundles`: those that have the key
 * now, as far as the reader reaches them. */
export const AuditEntry = object('AuditEntry', {
  seq: z.int().nullable(),
  id: Id,
  at: Timestamp,
  sealed: z.boolean(),
  action: z.enum(AUDIT_ACTIONS),
  actor: Who,
  target: Who.extend({ id: z.string(), bundles: BundlesOfKey.optional() }),
  data: z.record(z.string(), z.unknown()),
  origin: z.record(z.string(), z.string()).nullable(),
  story: z.string().optional(),
})

export const AuditList = z.array(AuditEntry).meta({ id: 'AuditList' })

/** `days`: how many, today included. `time_zone`: whose midnight begins a day, for example `Europe/Berlin`. */
export const AuditDaysQuery = z.object({
  days: z.coerce
    .number({ error: WRONG_DAYS })
    .int(WRONG_DAYS)
    .min(1, WRONG_DAYS)
    .max(MOST_DAYS, WRONG_DAYS)
    .default(14),
  time_zone: z.string().default('UTC').refine(isTimeZone, 'time_zone must be a name such as Europe/Berlin'),
  actor: PathPart('actor').optional(),
  target: PathPart('target').optional(),
})

const Counts = z.object({
  approvals: z.int(),
  values: z.int(),
  machines: z.int(),
  rules: z.int(),
  refused: z.int(),
  sign_ins: z.int(),
})

/** Sealed stories of each day, the oldest day first; a delivery counts once, and so do the calls of a machine for a
 * bundle within an hour. Of a busy workspace, only the newest 20,000 entries are counted: `counted_since` is the time
 * of the oldest of them, and null if all are. */
export const AuditDays = object('AuditDays', {
  days: z.array(z.object({ day: z.iso.date(), counts: Counts })),
  counted_since: Timestamp.nullable(),
})

export const AuditExportQuery = z.object({
  from_seq: Sequence('from_seq').optional(),
  to_seq: Sequence('to_seq').optional(),
})

/** JSON lines: entries, then a line with the note and the signed end. docs/audit.md has the format. */
export const AuditExport = z.string().meta({
  id: 'AuditExport',
  examples: [
    `{"hash":"${'5'.repeat(64)}","event":{"seq":1,"id":"3f6f2c8e-0f3b-4d55-9a0f-6f4a3f0f9b12"}}\n{"note":"…","end":"…"}\n`,
  ],
})

export const AuditNote = z.string().meta({
  id: 'AuditNote',
  examples: ['keyferry chain v1\nkeyferry.example.com/audit/…\n12\n…\n1 2026-01-31T12:00:00.000Z\n\n— …\n'],
})

/** A verifier key as C2SP writes it. */
export const AuditKey = object(
  'AuditKey',
  { key: z.string() },
  { key: 'keyferry.example.com/audit+1a2b3c4d+AQ…' },
)
