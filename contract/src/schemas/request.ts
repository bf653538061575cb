import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Due } from './key.ts'
import { Id, optionalText, PathPart, requiredText, storable, Timestamp } from './text.ts'

/** Formats that a client may name for what it will write. */
export const FORMATS = ['sh', 'fish', '.env'] as const

/** What a client may say of itself; other names are ignored. */
export const CLAIMS = ['hostname', 'os', 'user', 'client_version', 'cwd', 'command', 'via'] as const

const claim = storable(
  z
    .string({ error: 'meta values must be strings' })
    .max(LIMITS.metaValueLength, `meta values must be at most ${LIMITS.metaValueLength} characters`)
    .regex(/^\P{Cc}*$/u, 'meta values must not hold control characters'),
  'meta values',
)

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
    } satisfies Record<(typeof CLAIMS)[number], unknown>,
    { error: 'meta must be an object of strings' },
  )
  .meta({ id: 'ClaimedMeta', examples: [{ hostname: 'laptop', user: 'sam', command: 'npm run dev' }] })

export const RequestParams = z.object({ request_id: PathPart('request_id') })

export const RequestBundleParams = z.object({
  request_id: PathPart('request_id'),
  bundle_id: PathPart('bundle_id'),
})

const NO_WORKSPACE = 'workspace must be a workspace id or name'
const NO_BUNDLE = 'bundle_id must be a bundle id or name'

export const CreateRequest = z
  .object({
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
    /** `typed`: the approver has to type the check code. `compat`: they compare it. */
    assurance: z.enum(['compat', 'typed']).optional(),
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
})

/** The proof that a request is the caller's own. */
export const VerifierHeaders = z.object({ 'x-poll-verifier': z.string().optional() })

const named = (id: string) => z.object({ id: Id, name: z.string() }).meta({ id })
const BundleName = named('BundleName')
const WorkspaceName = named('WorkspaceName')

/** `missing_required`: keys that the bundle marks as required and that the approver left out. The API takes such an
 * approval, because a client of the plain interface knows no second confirmation; the page asks for one, and the
 * terminal decides what to do with the names. `expired`: delivered values that are past their `expires_at`. `versions`: the
 * version of each delivered key. All but the ciphertext are absent where it was stored directly. */
export const WaitResult = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('pending') }),
    z.object({
      status: z.literal('ready'),
      ciphertext_base64: z.string(),
      bundle: BundleName.optional(),
      workspace: WorkspaceName.optional(),
      missing_required: z.array(z.string()).optional(),
      expired: z.array(z.string()).optional(),
      delivery_id: Id.optional(),
      versions: z.array(z.object({ name: z.string(), version: z.int() })).optional(),
    }),
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
    status: z.enum(['pending', 'ready']),
    user_code: z.string(),
    user_code_required: z.boolean(),
    /** The address of the caller, as the server sees it. */
    viewer_ip: z.string(),
    /** Whether that address and the requester's are in one network; null: they cannot be compared. */
    same_network: z.boolean().nullable(),
    expires_at: Timestamp,
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

/** Bundles that a request may mean, each with its workspace. */
export const CandidateList = z
  .array(z.object({ workspace: WorkspaceName, bundle: BundleName }).meta({ id: 'Candidate' }))
  .meta({
    id: 'CandidateList',
    examples: [
      [
        {
          workspace: { id: '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21', name: "sam's workspace" },
          bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app' },
        },
      ],
    ],
  })

export const RequestBundleList = z
  .array(z.object({ id: Id, name: z.string(), description: z.string() }).meta({ id: 'RequestBundleEntry' }))
  .meta({
    id: 'RequestBundleList',
    examples: [[{ id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app', description: '' }]],
  })

export const RequestBundle = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string(),
    items: z.array(
      z
        .object({
          key: z.string(),
          key_name: z.string().nullable(),
          value: z.string(),
          is_secret: z.boolean(),
          description: z.string().nullable(),
          required: z.boolean(),
          due: Due,
        })
        .meta({ id: 'RequestBundleItem' }),
    ),
  })
  .meta({
    id: 'RequestBundle',
    examples: [
      {
        id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10',
        name: 'dev/app',
        description: '',
        items: [
          {
            key: 'DATABASE_URL',
            key_name: 'DEV_APP_DATABASE_URL',
            value: '*****',
            is_secret: true,
            description: '',
            required: false,
            due: null,
          },
        ],
      },
    ],
  })

export const EncryptFromBundle = z
  .object({
    bundle_id: requiredText('bundle_id', LIMITS.nameLength, 'bundle_id required'),
    include_keys: z
      .array(z.string({ error: 'include_keys must be key names' }), { error: 'include_keys required' })
      .min(1, 'include_keys must not be empty'),
    user_code: optionalText('user_code', 32).optional(),
  })
  .meta({
    id: 'EncryptFromBundle',
    examples: [{ bundle_id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', include_keys: ['DATABASE_URL'] }],
  })

export const StorePayload = z
  .object({
    ciphertext_base64: z
      .base64({ error: 'ciphertext_base64 must be base64' })
      .min(1, 'ciphertext_base64 required'),
  })
  .meta({ id: 'StorePayload', examples: [{ ciphertext_base64: 'c2VhbGVk' }] })
