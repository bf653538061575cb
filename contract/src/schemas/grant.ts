import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Actor, Id, Page, storable, Timestamp } from './text.ts'

export const EXAMPLE_DEVICE = {
  public_key: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=',
  time: '2026-01-31T12:00:00Z',
  nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
  signature: 'c2lnbmVk',
}

/** A terminal's own key and proof that the caller holds it. `public_key`: base64 of 32 bytes, Ed25519. `time`: ISO
 * timestamp, at most five minutes from the server's. `nonce`: base64url of 16 bytes, used once. `signature`: base64 of
 * 64 bytes. */
export const Device = z
  .object({
    public_key: z.base64({ error: 'device.public_key must be base64' }).max(64),
    time: z.iso.datetime({ error: 'device.time must be a time in UTC, for example 2027-01-31T12:00:00Z' }),
    nonce: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'device.nonce must be base64url of 16 bytes'),
    signature: z.base64({ error: 'device.signature must be base64' }).max(128),
  })
  .meta({ id: 'Device', examples: [EXAMPLE_DEVICE] })

/** How much of the program's output hides values, from none to all. */
export const REDACTIONS = ['never', 'auto', 'always'] as const

/** What a command line says besides the command: it is signed with `device`, and a remembered approval holds for the
 * same flags and the same redaction, or more. Without it, the signature is of the first version. */
export const RequestUse = z
  .object({
    redaction: z.enum(REDACTIONS, { error: `use.redaction must be one of ${REDACTIONS.join(', ')}` }),
    flags: z
      .array(storable(z.string({ error: 'use.flags must be texts' }), 'use.flags'), {
        error: 'use.flags must be an array',
      })
      .max(LIMITS.argvItems, `use.flags must be at most ${LIMITS.argvItems} texts`),
  })
  .meta({ id: 'RequestUse', examples: [{ redaction: 'auto', flags: ['run', '--only'] }] })

/** Why a remembered approval of this bundle does not apply to a request. */
export const ASKS_AGAIN = [
  'expired',
  'used_up',
  'revoked',
  'forgotten',
  'person_removed',
  'role_changed',
  'policy_changed',
  'signed_out',
  'other_command',
  'other_folder',
  'other_agent',
  'other_keys',
  'bundle_changed',
] as const

/** An approval that a person lets one terminal repeat, for one command. */
export const Grant = z
  .object({
    id: Id,
    bundle: z.object({ id: Id, name: z.string() }),
    person: Actor,
    label: z.object({ hostname: z.string(), user: z.string(), program: z.string() }),
    argv: z.array(z.string()),
    cwd: z.string(),
    agent: z.string().nullable(),
    keys: z.array(z.string()),
    created_at: Timestamp,
    expires_at: Timestamp,
    uses: z.int(),
    uses_left: z.int(),
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'Grant' })

export const ListGrantsQuery = Page

export const GrantList = z.array(Grant).meta({
  id: 'GrantList',
  examples: [
    [
      {
        id: '9b1c7c43-0d0b-4f0d-8a52-9b4b4a9a3d21',
        bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app' },
        person: { kind: 'user', id: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55', name: 'sam' },
        label: { hostname: 'laptop', user: 'sam', program: 'npm' },
        argv: ['npm', 'run', 'dev'],
        cwd: '/home/sam/shop',
        agent: null,
        keys: ['DATABASE_URL'],
        created_at: '2026-01-31T12:00:00.000Z',
        expires_at: '2026-01-31T20:00:00.000Z',
        uses: 3,
        uses_left: 47,
        last_used_at: '2026-01-31T13:00:00.000Z',
      },
    ],
  ],
})

/** How many remembered approvals ended. */
export const EndedGrants = z.object({ ended: z.int() }).meta({ id: 'EndedGrants', examples: [{ ended: 1 }] })

export const ForgetDevice = z
  .object({ device: Device })
  .meta({ id: 'ForgetDevice', examples: [{ device: EXAMPLE_DEVICE }] })
