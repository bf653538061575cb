import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Actor, Id, Named, object, optionalText, Page, storable, Timestamp } from './text.ts'

/** A terminal's own key and proof that the caller holds it. `public_key`: base64 of 32 bytes, Ed25519. `time`: ISO
 * timestamp, at most five minutes from the server's. `nonce`: base64url of 16 bytes, used once. `signature`: base64 of
 * 64 bytes. */
export const Device = object('Device', {
  public_key: z.base64({ error: 'device.public_key must be base64' }).max(64),
  time: z.iso.datetime({ error: 'device.time must be a time in UTC, for example 2027-01-31T12:00:00Z' }),
  nonce: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'device.nonce must be base64url of 16 bytes'),
  signature: z.base64({ error: 'device.signature must be base64' }).max(128),
})

/** How much of the program's output hides values, from none to all. */
export const REDACTIONS = ['never', 'auto', 'always'] as const

/** What a command line says besides the command: it is signed with `device`, and a remembered approval holds for the
 * same flags and the same redaction, or more. Without it, the signature is of the first version. `repository`: the
 * folder of the command in the main working tree of its git repository. */
export const RequestUse = object(
  'RequestUse',
  {
    redaction: z.enum(REDACTIONS, { error: `use.redaction must be one of ${REDACTIONS.join(', ')}` }),
    flags: z
      .array(storable(z.string({ error: 'use.flags must be texts' }), 'use.flags'), {
        error: 'use.flags must be an array',
      })
      .max(LIMITS.argvItems, `use.flags must be at most ${LIMITS.argvItems} texts`),
    repository: optionalText('use.repository', LIMITS.cwdLength).optional(),
  },
  { redaction: 'auto', flags: ['run', '--only'] },
)

/** Why a remembered approval of this bundle does not apply to a request. The later in this list, the less the approval
 * has to do with the request. */
export const ASKS_AGAIN = [
  'revoked',
  'forgotten',
  'signed_out',
  'person_removed',
  'role_changed',
  'policy_changed',
  'used_up',
  'expired',
  'bundle_changed',
  'other_keys',
  'other_network',
  'other_agent',
  'other_folder',
  'other_command',
] as const

/** An approval that a person lets one terminal repeat, for one command, or as a task for any command of a program that
 * runs with the values. Of a task, `argv` is empty, `label` is of the last run, and `changed` are the keys whose values
 * changed since its approval. */
export const Grant = object('Grant', {
  id: Id,
  bundle: Named,
  person: Actor,
  label: z.object({ hostname: z.string(), user: z.string(), program: z.string() }),
  task: z.literal(true).optional(),
  changed: z.array(z.object({ name: z.string(), by: z.string().nullable() })).optional(),
  argv: z.array(z.string()),
  cwd: z.string(),
  /** It holds in this folder of every working tree of a repository; absent: in `cwd` only. */
  repository: z.string().optional(),
  agent: z.string().nullable(),
  keys: z.array(z.string()),
  created_at: Timestamp,
  expires_at: Timestamp,
  uses: z.int(),
  uses_left: z.int(),
  last_used_at: Timestamp.nullable(),
})

/** `known`: the caller's own that make their terminal known, also those whose time is over. */
export const ListGrantsQuery = Page.extend({ known: z.literal('1', { error: 'known must be 1' }).optional() })

export const GrantList = z.array(Grant).meta({ id: 'GrantList' })

/** How many remembered approvals ended. */
export const EndedGrants = object('EndedGrants', { ended: z.int() })

export const ForgetDevice = object('ForgetDevice', { device: Device })
