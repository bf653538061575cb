import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { ClaimedMeta } from '../schemas/request-claims.ts'
import {
  changeOf,
  expectedOf,
  Flag,
  Id,
  listOf,
  Named,
  Ok,
  object,
  optionalText,
  Page,
  requiredText,
  Stricter,
  Timestamp,
  wholeNumber,
} from '../schemas/text.ts'
import { MACHINE_LIMITS, MACHINE_TIMES } from './limits.ts'

/** Addresses or networks that calls must come from. */
export const NetworkList = z
  .array(z.string({ error: 'networks must be texts' }), { error: 'networks must be a list' })
  .max(MACHINE_LIMITS.networks, `networks must be at most ${MACHINE_LIMITS.networks}`)

/** Why a token should be replaced: it has expired, or it expires within two weeks or half of its life. */
export const TokenDue = z.enum(['expired', 'expiring']).nullable()

/** `hint`: the last four characters. `networks`: where calls must come from; empty for everywhere. A token works until
 * it expires or is ended; a rotation brings `expires_at` of the old one forward. */
export const MachineToken = object('MachineToken', {
  id: Id,
  hint: z.string(),
  networks: z.array(z.string()),
  created_by: Id,
  created_at: Timestamp,
  expires_at: Timestamp,
  due: TokenDue,
  ended_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  last_used_ip: z.string().nullable(),
})

const days = `expires_in_days must be a whole number from 1 to ${MACHINE_LIMITS.tokenDays}`
const overlap = `overlap_seconds must be a whole number from 0 to ${MACHINE_TIMES.maxOverlapSeconds}`

/** `networks`: addresses or networks that calls must come from; empty for everywhere. */
export const CreateToken = object(
  'CreateToken',
  {
    expires_in_days: wholeNumber(days, 1, MACHINE_LIMITS.tokenDays).default(MACHINE_LIMITS.defaultTokenDays),
    networks: NetworkList.default([]),
  },
  { expires_in_days: 90, networks: ['10.0.0.0/8'] },
)

/** How long the old token works beside the new one. */
export const RotateToken = object(
  'RotateToken',
  {
    overlap_seconds: wholeNumber(overlap, 0, MACHINE_TIMES.maxOverlapSeconds).default(
      MACHINE_TIMES.overlapSeconds,
    ),
  },
  { overlap_seconds: MACHINE_TIMES.overlapSeconds },
)

/** The only answer that ever carries the token. */
export const CreatedToken = object('CreatedToken', {
  id: Id,
  token: z.string(),
  hint: z.string(),
  expires_at: Timestamp,
})

/** Leaked tokens in the form of GitHub's secret scanning, unsigned: anyone who has a token may end it. Texts that are
 * no tokens are ignored. */
export const ReportTokens = z
  .array(
    z.object(
      {
        token: z
          .string({ error: 'token must be a text' })
          .max(1_000, 'token must be at most 1000 characters'),
        type: z.string().max(200).optional(),
        url: z.string().max(2_000).optional(),
      },
      { error: 'each report must be an object with a token' },
    ),
    { error: 'the body must be a list of reports' },
  )
  .max(MACHINE_LIMITS.reportedTokens, `the body must hold at most ${MACHINE_LIMITS.reportedTokens} reports`)
  .meta({
    id: 'ReportTokens',
    examples: [
      [
        {
          token: 'kfm_1qe4Lu2mocTfktLY76oNVmefgoTFePvhPrbkbVEOevO3LSBXn',
          type: 'keyferry_machine_token',
          url: 'https://github.com/example/app/blob/main/.env',
        },
      ],
    ],
  })

export const NoContent = z.literal('').meta({ id: 'NoContent', examples: [''] })

const Binding = z.enum(['required', 'possible'], { error: 'binding must be required or possible' })

/** `binding`: `required`, if the audience has to name the client's key (`<audience>/key/<hash>`). `has_keys`: the
 * issuer's keys were pasted. `is_broad`: an owner allowed it although it is not specific. */
export const MachineTrust = object('MachineTrust', {
  id: Id,
  issuer: z.string(),
  audience: z.string(),
  claims: z.record(z.string(), z.array(z.string())),
  binding: Binding,
  networks: z.array(z.string()),
  max_age_seconds: z.int().nullable(),
  is_broad: z.boolean(),
  has_keys: z.boolean(),
  created_by: Id,
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
})

const claimText = z
  .string({ error: 'claims must be lists of texts' })
  .min(1, 'claims must not be empty texts')
  .max(LIMITS.claimLength, `claims must be at most ${LIMITS.claimLength} characters`)

const { minIdTokenAgeSeconds: MIN_AGE, maxIdTokenAgeSeconds: MAX_AGE } = MACHINE_TIMES

const maxAge = `max_age_seconds must be a whole number from ${MIN_AGE} to ${MAX_AGE}`

const claimsOf = <Claim extends z.ZodType>(claim: Claim) =>
  z
    .record(claimText, claim, { error: 'claims required' })
    .refine(
      (claims) => Object.keys(claims).length <= MACHINE_LIMITS.trustClaims,
      `claims must be at most ${MACHINE_LIMITS.trustClaims}`,
    )

/** `claims`: exact texts by name; a token needs one of them for each. `keys`: the issuer's key set (JWKS), for an
 * issuer that the server cannot reach. `broad`: allow claims that are not specific. */
export const CreateTrust = object('CreateTrust', {
  issuer: requiredText('issuer', LIMITS.claimLength, 'issuer required'),
  audience: requiredText('audience', LIMITS.claimLength, 'audience must be a text').optional(),
  claims: claimsOf(z.array(claimText).min(1).max(MACHINE_LIMITS.claimValues)),
  keys: z
    .object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(MACHINE_LIMITS.issuerKeys) })
    .optional(),
  binding: Binding.optional(),
  networks: NetworkList.default([]),
  max_age_seconds: wholeNumber(maxAge, MIN_AGE, MAX_AGE).optional(),
  broad: Flag('broad').default(false),
})

/** Refused calls whose ID token was verified, the latest first. `reason`: what differs, by name, separated by commas.
 * `suggested`: the claims to select by default. `is_bound`: the token was bound to the client's key. */
export const MachineAttemptList = listOf('MachineAttempt', {
  fingerprint: z.string(),
  issuer: z.string(),
  claims: z.record(z.string(), z.string()),
  suggested: z.array(z.string()),
  is_bound: z.boolean(),
  reason: z.string(),
  first_at: Timestamp,
  last_at: Timestamp,
  times: z.int(),
})

/** The attempt's issuer, and those of its claims that the trust demands, as the owner saw them. */
export const AllowAttempt = object('AllowAttempt', {
  issuer: requiredText('issuer', LIMITS.claimLength, 'issuer required'),
  claims: claimsOf(claimText),
  broad: Flag('broad').default(false),
})

const MACHINE_NAME = /^[A-Za-z0-9._/-]+$/

export const MachineName = requiredText('name', MACHINE_LIMITS.nameLength, 'name required')
  .regex(MACHINE_NAME, 'name may hold only letters, digits, ., /, - and _')
  .meta({ id: 'MachineName', examples: ['ci-deploy'] })

const fields = {
  name: MachineName,
  description: optionalText('description', LIMITS.descriptionLength),
  is_active: Flag('is_active'),
  audit: Flag('audit'),
}

/** `audit`: the machine may read the audit log. */
export const CreateMachine = object(
  'CreateMachine',
  {
    name: MachineName,
    description: fields.description.default(''),
    is_active: fields.is_active.default(true),
    audit: fields.audit.default(false),
  },
  { name: 'ci-deploy', description: 'deploys from CI' },
)

export const UpdateMachine = changeOf('UpdateMachine', fields, { is_active: false })

export const ListMachinesQuery = Page

/** `read`: names of keys, with every value masked. `deliver`: that, and deliveries. */
const Scope = z.enum(['read', 'deliver'], { error: 'scope must be read or deliver' })

/** `expected.scope`: null if the machine had no grant of the bundle. */
export const GrantBundle = object('GrantBundle', {
  scope: Scope,
  expected: expectedOf({ scope: Scope.nullable() }),
})

export const GrantedBundle = Ok.extend(Stricter).meta({ id: 'GrantedBundle' })

/** `last_used_at` of a token or a trust is exact to a minute. `attempts`: how many refused identities an owner can
 * allow. */
export const Machine = object('Machine', {
  id: Id,
  name: z.string(),
  description: z.string(),
  is_active: z.boolean(),
  audit: z.boolean(),
  created_by: Id,
  created_at: Timestamp,
  updated_at: Timestamp,
  last_delivery_at: Timestamp.nullable(),
  grants: z.array(object('MachineGrant', { bundle: Named, scope: Scope, created_at: Timestamp })),
  tokens: z.array(MachineToken),
  trusts: z.array(MachineTrust),
  attempts: z.int(),
})

export const MachineList = z.array(Machine).meta({ id: 'MachineList' })

const NAMES = 'include_keys must be a list of key names'

/** `machine_id`: needed with an ID token. `bundle_id`: an id or a name. `include_keys`: absent for all keys. */
export const CreateDelivery = object('CreateDelivery', {
  client_pubkey: requiredText('client_pubkey', 64, 'client_pubkey required'),
  bundle_id: requiredText('bundle_id', LIMITS.nameLength, 'bundle_id required'),
  include_keys: z
    .array(z.string({ error: NAMES }), { error: NAMES })
    .min(1, 'include_keys must not be empty: leave it out for all keys')
    .max(LIMITS.importEntries, `include_keys must be at most ${LIMITS.importEntries} names`)
    .optional(),
  machine_id: requiredText('machine_id', 64, 'machine_id must be a machine id').optional(),
  meta: ClaimedMeta.default({}),
})

/** `keys`: what is in the box; `version` is null for a legacy item. `missing_required`: keys that the bundle marks as
 * required and that `include_keys` left out. `expired`: delivered values that are past their `expires_at`.
 * `marks_base64`: a second box, with JSON: `public` names the values that are not secret, and `of` is the SHA-256 (hex)
 * of the first box's plaintext. */
export const MachineDelivery = object('MachineDelivery', {
  delivery_id: Id,
  machine: Named,
  workspace: Named,
  bundle: Named,
  keys: z.array(z.object({ name: z.string(), version: z.int().nullable() })),
  missing_required: z.array(z.string()),
  expired: z.array(z.string()),
  ciphertext_base64: z.string(),
  marks_base64: z.string(),
})

/** `token`: the one that this call proved itself with. */
export const OwnMachine = object('OwnMachine', {
  id: Id,
  name: z.string(),
  workspace: Named,
  audit: z.boolean(),
  grants: z.array(z.object({ bundle: Named, scope: z.enum(['read', 'deliver']) })),
  token: z.object({ id: Id, hint: z.string(), expires_at: Timestamp, due: TokenDue }).nullable(),
})

const CLIENT_KEY = 'client_pubkey must be base64 of 32 bytes'

/** Both are needed with an ID token alone: which machine it is, and the key that a bound token names. */
export const WaitForChange = object(
  'WaitForChange',
  {
    machine_id: requiredText('machine_id', 64, 'machine_id must be a machine id').optional(),
    client_pubkey: requiredText('client_pubkey', 64, CLIENT_KEY).optional(),
  },
  {},
)
