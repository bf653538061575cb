import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { BundleName } from './bundle.ts'
import { AppliedDeposit, Deposit, DepositContent } from './deposit.ts'
import { ASKS_AGAIN, Device } from './grant.ts'
import { AssuranceField } from './policy.ts'
import { Receipt } from './receipt.ts'
import { RELEASES, ReleaseField } from './release.ts'
import { Id, optionalText, PathPart, storable, Timestamp } from './text.ts'

/** Formats that a client may name for what it will write. */
export const FORMATS = ['sh', 'fish', '.env'] as const

/** What a client may say of itself; other names are ignored. */
export const CLAIMS = [
  'hostname',
  'os',
  'user',
  'client_version',
  'cwd',
  'command',
  'via',
  'agent',
  'reason',
] as const

const claimOf = (name: string, length: number) =>
  storable(
    z
      .string({ error: `${name} must be strings` })
      .max(length, `${name} must be at most ${length} characters`)
      .regex(/^\P{Cc}*$/u, `${name} must not hold control characters`),
    name,
  )

const claim = claimOf('meta values', LIMITS.metaValueLength)

// A claim may be in any script, marks of its direction included. A suggestion names what exists, and nothing that exists
// has a name that could take over a terminal or read differently from what it says.
const suggestion = (field: string, wrong: string) =>
  storable(
    z
      .string({ error: wrong })
      .max(LIMITS.nameLength, `${field} must be at most ${LIMITS.nameLength} characters`)
      .regex(/^\P{Cc}*$/u, `${field} must not hold control characters`)
      .refine((text) => !/\p{Bidi_Control}/u.test(text), `${field} must not hold bidirectional characters`),
    field,
  )

/** What the client says about itself: unverified, and shown as reported by the terminal. */
export const ClaimedMeta = z
  .object(
    {
      hostname: claim.optional(),
      os: claim.optional(),
      user: claim.optional(),
      client_version: claim.optional(),
      cwd: claim.optional(),
      command: claim.optional(),
      via: claim.optional(),
      /** The AI agent that started the client, as the client recognises it. */
      agent: claim.optional(),
      /** Why the agent asks, in its own words. */
      reason: claimOf('meta.reason', LIMITS.reasonLength).optional(),
    } satisfies Record<(typeof CLAIMS)[number], unknown>,
    { error: 'meta must be an object of strings' },
  )
  .meta({ id: 'ClaimedMeta', examples: [{ hostname: 'laptop', user: 'sam', command: 'npm run dev' }] })

const ARGV = `argv must be at most ${LIMITS.argvItems} texts of ${LIMITS.argvBytes} bytes together`

/** The command as it will be started. It may hold line breaks and other control characters: escape them when you show it. */
const Argv = z
  .array(storable(z.string({ error: ARGV }), 'argv'), { error: ARGV })
  .min(1, 'argv must not be empty')
  .max(LIMITS.argvItems, ARGV)
  .refine((argv) => byteLength(argv) <= LIMITS.argvBytes, ARGV)

const utf8 = new TextEncoder()

function byteLength(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + utf8.encode(text).length, 0)
}

export const RequestParams = z.object({ request_id: PathPart('request_id') })

export const RequestBundleParams = z.object({
  request_id: PathPart('request_id'),
  bundle_id: PathPart('bundle_id'),
})

const NO_WORKSPACE = 'workspace must be a workspace id or name'
const NO_BUNDLE = 'bundle_id must be a bundle id or name'

/** `delivery`: values for the client, as the interface says. `deposit`: values from the client, for a bundle. `names`: the
 * names of a bundle for the client, or the bundles of a workspace; no value. */
export const REQUEST_KINDS = ['delivery', 'deposit', 'names'] as const

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
    /** A digest of the arguments that the client left out of `argv`, so that another secret there is another command. */
    argv_masked: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'argv_masked must be base64url of 32 bytes')
      .optional(),
    /** The folder that the command runs in. */
    cwd: optionalText('cwd', LIMITS.cwdLength).optional(),
    /** Needs `argv` and `cwd`. Lets the approver remember the approval, and the terminal repeat it. */
    device: Device.optional(),
    /** Needs `device`. The client takes its approval back from another client of its terminal too, so that requests of one
     * start can be approved on one page. */
    together: z.boolean({ error: 'together must be true or false' }).default(false),
    /** Of a deposit, which needs the name of a bundle in `bundle_id`. All kinds but `delivery` need a `poll_challenge`. */
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
  .refine(({ together, device }) => !together || device !== undefined, {
    error: 'together needs a device',
    path: ['together'],
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

const EXAMPLE_REQUEST_ID = '7f9c2ba4e88f827d616045507605853e'

export const CreatedRequest = z
  .object({
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
    remembered: z.object({ grant_id: Id, expires_at: Timestamp, uses_left: z.int() }).optional(),
    /** Why a remembered approval of this terminal does not count for this request. */
    asks_again: z.enum(ASKS_AGAIN).optional(),
    /** The page of an earlier request of the same start offers to approve this one too. */
    joins: z.literal(true).optional(),
  })
  .meta({
    id: 'CreatedRequest',
    examples: [
      {
        id: EXAMPLE_REQUEST_ID,
        verification_uri_complete: `/approve/${EXAMPLE_REQUEST_ID}`,
        interval: 3,
        expires_in: 300,
        user_code: 'WDJB-MJHT',
        assurance: 'compat',
      },
    ],
  })

export const WaitQuery = z.object({
  interval: z.coerce
    .number({ error: 'interval must be a number of seconds' })
    .int()
    .min(0)
    .max(3_600)
    .optional(),
  /** What the client knows that the request needs. With it, the call ends as soon as the request needs something else. A
   * release over loopback does not end the call: the client's own listener sees it. */
  known: z.enum(['none', 'loopback', 'code', 'second_person']).optional(),
})

/** The proof that a request is the caller's own. */
export const VerifierHeaders = z.object({ 'x-poll-verifier': z.string().optional() })

const named = (id: string) => z.object({ id: Id, name: z.string() }).meta({ id })
export const NamedBundle = named('BundleName')
export const NamedWorkspace = named('WorkspaceName')

/** `missing_required`: keys that the bundle marks as required and that the approver left out. The API takes such an
 * approval, because a client of the plain interface knows no second confirmation; the page asks for one, and the
 * terminal decides what to do with the names. `expired`: delivered values that are past their `expires_at`. `versions`: the
 * version of each delivered key. `needs` of a pending request: `release`, the approval waits for its return to the terminal
 * (`release_by`); `second_person`, one person approved and the bundle needs two. All but the ciphertext are absent where it was stored directly.
 * `applied`: the deposit is stored; told once. */
export const WaitResult = z
  .discriminatedUnion('status', [
    z.object({
      status: z.literal('pending'),
      needs: z.enum(['release', 'second_person']).optional(),
      release_by: ReleaseField.optional(),
    }),
    z.object({
      status: z.literal('ready'),
      ciphertext_base64: z.string(),
      bundle: NamedBundle.optional(),
      workspace: NamedWorkspace.optional(),
      missing_required: z.array(z.string()).optional(),
      expired: z.array(z.string()).optional(),
      delivery_id: Id.optional(),
      versions: z.array(z.object({ name: z.string(), version: z.int() })).optional(),
      receipt: Receipt.optional(),
    }),
    z.object({ status: z.literal('applied'), deposit: AppliedDeposit }),
  ])
  .meta({ id: 'WaitResult', examples: [{ status: 'pending' }] })

/** Facts the server saw beside what the client claimed; every claim may be absent. */
export const RequesterMeta = z
  .object({
    ip: z.string(),
    user_agent: z.string(),
    requested_at: Timestamp,
    format: z.enum(FORMATS),
  })
  .catchall(z.string())
  .meta({ id: 'RequesterMeta' })

export const RequestContext = z
  .object({
    cli_pubkey: z.string(),
    suggested_bundle_id: z.string().nullable(),
    /** The workspace that the client named, by id or name. */
    workspace: z.string().nullable(),
    template_keys: z.array(z.string()),
    requester_meta: RequesterMeta,
    /** `held`: approved, and waiting for its return to the terminal. */
    status: z.enum(['pending', 'held', 'ready']),
    user_code: z.string(),
    user_code_required: z.boolean(),
    /** The address of the caller, as the server sees it. */
    viewer_ip: z.string(),
    /** Whether that address and the requester's are in one network; null: they cannot be compared. */
    same_network: z.boolean().nullable(),
    expires_at: Timestamp,
    /** What this server demands of every approval; the bundle may demand more. */
    assurance: AssuranceField.optional(),
    /** The ways in which the client can take an approval back; empty: none. */
    release: z.array(ReleaseField).optional(),
    /** Of a held request. */
    held: z.object({ by: ReleaseField, until: Timestamp }).nullable().optional(),
    /** One person approved, and the bundle needs two. */
    awaits_second: z.boolean().optional(),
    /** The whole command; null: the client did not send it. */
    argv: z.array(z.string()).nullable().optional(),
    /** The client left secrets out of `argv`. */
    is_argv_masked: z.boolean().optional(),
    cwd: z.string().nullable().optional(),
    kind: z.enum(REQUEST_KINDS).optional(),
    /** What a deposit contains, without its values; null for any other kind. */
    deposit: DepositContent.nullable().optional(),
  })
  .meta({
    id: 'RequestContext',
    examples: [
      {
        cli_pubkey: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=',
        suggested_bundle_id: 'dev/app',
        workspace: null,
        template_keys: ['PORT'],
        requester_meta: {
          ip: '203.0.113.7',
          user_agent: 'keyferry/0.1.0',
          requested_at: '2026-01-31T12:00:00.000Z',
          format: 'sh',
          hostname: 'laptop',
        },
        status: 'pending',
        user_code: 'WDJB-MJHT',
        user_code_required: false,
        viewer_ip: '203.0.113.7',
        same_network: true,
        expires_at: '2026-01-31T12:05:00.000Z',
      },
    ],
  })

/** Pending requests that the same terminal made at the same time; `context` is what the page shows of each. */
export const CompanionList = z
  .array(z.object({ request_id: z.string(), context: RequestContext }))
  .meta({ id: 'CompanionList', examples: [[]] })
