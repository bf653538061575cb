import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { BundleName } from './bundle.ts'
import { Deposit } from './deposit.ts'
import { ASKS_AGAIN, Device, RequestUse } from './grant.ts'
import { AssuranceField } from './policy.ts'
import { RELEASES, ReleaseField } from './release.ts'
import { FORMATS, REQUEST_KINDS } from './request.ts'
import { Argv, ClaimedMeta } from './request-claims.ts'
import { Id, object, optionalText, storable, Timestamp } from './text.ts'

// A claim may be in any script, marks of its direction included. A suggestion names what exists, and nothing that
// exists has a name that could take over a terminal or read differently from what it says.
const suggestion = (field: string, wrong: string) =>
  storable(
    z
      .string({ error: wrong })
      .max(LIMITS.nameLength, `${field} must be at most ${LIMITS.nameLength} characters`)
      .regex(/^\P{Cc}*$/u, `${field} must not hold control characters`)
      .refine((text) => !/\p{Bidi_Control}/u.test(text), `${field} must not hold bidirectional characters`),
    field,
  )

const NO_WORKSPACE = 'workspace must be a workspace id or name'
const NO_BUNDLE = 'bundle_id must be a bundle id or name'

export const CreateRequest = z
  .object({
    kind: z
      .enum(REQUEST_KINDS, { error: `kind must be one of ${REQUEST_KINDS.join(', ')}` })
      .default('delivery'),
    client_pubkey: z.string({ error: 'client_pubkey required' }).min(1, 'client_pubkey required').max(64),
    bundle_id: suggestion('bundle_id', NO_BUNDLE).min(1, NO_BUNDLE).optional(),
    /** Narrows where the suggested bundle is looked for; a hint to the approver. */
    workspace: suggestion('workspace', NO_WORKSPACE).min(1, NO_WORKSPACE).optional(),
    template_keys: z
      .array(suggestion('template_keys', 'template_keys must be strings'), {
        error: 'template_keys must be an array of key names',
      })
      .max(LIMITS.templateKeys, `template_keys must be at most ${LIMITS.templateKeys} names`)
      .default([]),
    format: z.enum(FORMATS, { error: `format must be one of ${FORMATS.join(', ')}` }).default('sh'),
    poll_challenge: z.string({ error: 'poll_challenge must be a string' }).optional(),
    meta: ClaimedMeta.default({}),
    /** The ways in which the client can take an approval back; they need a `poll_challenge`. */
    release: z.array(ReleaseField, { error: 'release must be an array' }).max(RELEASES.length).default([]),
    argv: Argv.optional(),
    /** A digest of the arguments that the client left out of `argv`: another secret there makes another command. */
    argv_masked: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'argv_masked must be base64url of 32 bytes')
      .optional(),
    /** The folder that the command runs in. */
    cwd: optionalText('cwd', LIMITS.cwdLength).optional(),
    /** Needs `argv` and `cwd`. Lets the approver remember the approval, and the terminal repeat it. */
    device: Device.optional(),
    use: RequestUse.optional(),
    /** The client knows `needs: "approver"` and the longer life of a request that waits for another person. */
    waits_for_others: z.boolean({ error: 'waits_for_others must be true or false' }).default(false),
    /** The client asks again by itself, once, if a crash of the server's database loses the request. */
    may_ask_again: z.boolean({ error: 'may_ask_again must be true or false' }).default(false),
    /** The client wants the short address of the approval page too. */
    short_uri: z.boolean({ error: 'short_uri must be true or false' }).default(false),
    /** Of a deposit, which needs the name of a bundle in `bundle_id`. All kinds but `delivery` need a
     * `poll_challenge`. */
    deposit: Deposit.optional(),
  })
  .refine(({ kind, deposit }) => (kind === 'deposit') === (deposit !== undefined), {
    error: 'deposit must be given for kind "deposit", and for no other',
    path: ['deposit'],
  })
  .refine(({ kind, bundle_id }) => kind !== 'deposit' || BundleName.safeParse(bundle_id).success, {
    error: 'bundle_id must be the name of the bundle of the deposit',
    path: ['bundle_id'],
  })
  .refine(({ kind, poll_challenge }) => kind === 'delivery' || poll_challenge !== undefined, {
    error: 'a request of this kind needs a poll_challenge',
    path: ['poll_challenge'],
  })
  .refine(({ kind, device }) => kind === 'delivery' || device === undefined, {
    error: 'a request of this kind cannot be remembered: leave device out',
    path: ['device'],
  })
  .refine(({ kind, bundle_id }) => kind !== 'names' || bundle_id !== undefined, {
    error: 'a request for names needs bundle_id',
    path: ['bundle_id'],
  })
  .refine(({ kind, template_keys }) => kind !== 'names' || template_keys.length === 0, {
    error: 'a request for names lists all names: leave template_keys out',
    path: ['template_keys'],
  })
  .refine(({ release, poll_challenge }) => release.length === 0 || poll_challenge !== undefined, {
    error: 'release needs a poll_challenge',
    path: ['release'],
  })
  .refine(({ device, argv, cwd }) => device === undefined || (argv !== undefined && cwd !== undefined), {
    error: 'device needs argv and cwd',
    path: ['device'],
  })
  .meta({
    id: 'CreateRequest',
    examples: [
      {
        client_pubkey: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=',
        bundle_id: 'dev/app',
        template_keys: ['PORT'],
      },
    ],
  })

export const CreatedRequest = object('CreatedRequest', {
  id: z.string(),
  verification_uri_complete: z.string(),
  interval: z.int(),
  expires_in: z.int(),
  user_code: z.string(),
  /** Of a request for names. A server that does not know the kind does not say so. */
  kind: z.literal('names').optional(),
  /** What this server demands of every approval; a bundle may demand more. */
  assurance: AssuranceField.optional(),
  /** The request is ready at once, by an approval that the approver lets this terminal repeat. */
  remembered: z
    .object({ grant_id: Id, expires_at: Timestamp, uses_left: z.int(), task: z.literal(true).optional() })
    .optional(),
  /** Why a remembered approval of this terminal does not count for this request. */
  asks_again: z.enum(ASKS_AGAIN).optional(),
  /** What differs from the approved command, in words. */
  differs: z.string().optional(),
  /** The client may leave the request when it is stopped: see `leave` of the withdrawal. */
  may_leave: z.literal(true).optional(),
  /** For a client that asks for `short_uri`: it leads to the same page. */
  verification_uri_short: z.string().optional(),
  /** Of the open requests, for a client that `may_ask_again`: it gives it back while it waits. */
  epoch: Id.optional(),
})
