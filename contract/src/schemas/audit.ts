import { z } from 'zod'
import { AUDIT_ACTIONS } from '../audit-actions.ts'
import { Id, object, Page, PathPart, Timestamp } from './text.ts'

/** What both databases hold as an integer. */
const LAST_SEQUENCE = 2_147_483_647

const Sequence = (field: string) =>
  z.coerce
    .number({ error: `${field} must be a whole number` })
    .int(`${field} must be a whole number`)
    .min(0)
    .max(LAST_SEQUENCE, `${field} must be at most ${LAST_SEQUENCE}`)

const Moment = (field: string) => z.iso.datetime({ error: `${field} must be an ISO timestamp in UTC` })

/** `before`, `after`: entry numbers; `from`, `to`: times, `to` itself excluded; `actor`, `target`: ids. */
export const AuditQuery = Page.extend({
  before: Sequence('before').optional(),
  after: Sequence('after').optional(),
  from: Moment('from').optional(),
  to: Moment('to').optional(),
  actor: PathPart('actor').optional(),
  action: z.enum(AUDIT_ACTIONS, { error: 'action must be a known action' }).optional(),
  target: PathPart('target').optional(),
})

const Who = z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() })

/** `seq` is null while the event waits to be sealed. `data` holds names and numbers, never a value; `origin` is null
 * once it was erased. */
export const AuditEntry = object('AuditEntry', {
  seq: z.int().nullable(),
  id: Id,
  at: Timestamp,
  sealed: z.boolean(),
  action: z.enum(AUDIT_ACTIONS),
  actor: Who,
  target: Who.extend({ id: z.string() }),
  data: z.record(z.string(), z.unknown()),
  origin: z.record(z.string(), z.string()).nullable(),
})

export const AuditList = z.array(AuditEntry).meta({ id: 'AuditList' })

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
