import { z } from 'zod'
import { LIMITS, TIMES } from '../limits.ts'
import { Flag, Id, optionalText, Page, PathPart, requiredText, Timestamp } from './text.ts'

const MACHINE_NAME = /^[A-Za-z0-9._/-]+$/

export const MachineName = requiredText('name', LIMITS.machineNameLength, 'name required')
  .regex(MACHINE_NAME, 'name may hold only letters, digits, ., /, - and _')
  .meta({ id: 'MachineName', examples: ['ci-deploy'] })

const Description = optionalText('description', LIMITS.descriptionLength)

/** `audit`: the machine may read the audit log. */
export const CreateMachine = z
  .object({
    name: MachineName,
    description: Description.default(''),
    is_active: Flag('is_active').default(true),
    audit: Flag('audit').default(false),
  })
  .meta({ id: 'CreateMachine', examples: [{ name: 'ci-deploy', description: 'deploys from CI' }] })

/** What is absent stays. */
export const UpdateMachine = z
  .object({
    name: MachineName.optional(),
    description: Description.optional(),
    is_active: Flag('is_active').optional(),
    audit: Flag('audit').optional(),
  })
  .meta({ id: 'UpdateMachine', examples: [{ is_active: false }] })

export const MachineParams = z.object({ machine_id: PathPart('machine_id') })

export const MachineBundleParams = z.object({
  machine_id: PathPart('machine_id'),
  bundle_id: PathPart('bundle_id'),
})

export const MachineTokenParams = z.object({
  machine_id: PathPart('machine_id'),
  token_id: PathPart('token_id'),
})

export const ListMachinesQuery = Page

/** `read`: names of keys, with every value masked. `deliver`: that, and deliveries. */
const Scope = z.enum(['read', 'deliver'], { error: 'scope must be read or deliver' })

export const GrantBundle = z
  .object({ scope: Scope })
  .meta({ id: 'GrantBundle', examples: [{ scope: 'deliver' }] })

const Named = z.object({ id: Id, name: z.string() })

/** `hint`: the last four characters. `networks`: where calls must come from; empty for everywhere. A token works until it
 * expires or is ended; a rotation brings `expires_at` of the old one forward. */
export const MachineToken = z
  .object({
    id: Id,
    hint: z.string(),
    networks: z.array(z.string()),
    created_by: Id,
    created_at: Timestamp,
    expires_at: Timestamp,
    ended_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
    last_used_ip: z.string().nullable(),
  })
  .meta({ id: 'MachineToken' })

const Binding = z.enum(['required', 'possible'], { error: 'binding must be required or possible' })

const EXAMPLE_CLAIMS = { repository_id: ['789'], environment: ['prod'] }

/** `binding`: `required`, if the audience has to name the client's key (`<audience>/key/<hash>`). `has_keys`: the issuer's keys
 * were pasted. `is_broad`: an owner allowed it although it is not specific. */
export const MachineTrust = z
  .object({
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
  .meta({
    id: 'MachineTrust',
    examples: [
      {
        id: '6e1c6f1b-5b0e-4a7b-9f5d-2f4f6f1b7c55',
        issuer: 'https://token.actions.githubusercontent.com',
        audience: 'https://keyferry.example.com',
        claims: EXAMPLE_CLAIMS,
        binding: 'required',
        networks: [],
        max_age_seconds: null,
        is_broad: false,
        has_keys: false,
        created_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
        created_at: '2026-01-31T12:00:00.000Z',
        last_used_at: null,
      },
    ],
  })

const EXAMPLE = {
  id: 'c0b0a1de-5a3e-4ad5-8a8f-0a5f0f3d8d11',
  name: 'ci-deploy',
  description: 'deploys from CI',
  is_active: true,
  audit: false,
  created_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
  last_delivery_at: '2026-02-01T03:00:00.000Z',
  grants: [
    {
      bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'prod/app' },
      scope: 'deliver',
      created_at: '2026-01-31T12:00:00.000Z',
    },
  ],
  tokens: [
    {
      id: '8b0f4f6b-9d5e-4d0e-8c5c-5b8a6f1f2a33',
      hint: '3SBX',
      networks: ['10.0.0.0/8'],
      created_by: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
      created_at: '2026-01-31T12:00:00.000Z',
      expires_at: '2026-05-01T12:00:00.000Z',
      ended_at: null,
      last_used_at: '2026-02-01T03:00:00.000Z',
      last_used_ip: '10.1.2.3',
    },
  ],
  trusts: [],
  attempts: 0,
} as const

/** `last_used_at` of a token or a trust is exact to a minute. `attempts`: how many refused identities an owner can allow. */
export const Machine = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string(),
    is_active: z.boolean(),
    audit: z.boolean(),
    created_by: Id,
    created_at: Timestamp,
    updated_at: Timestamp,
    last_delivery_at: Timestamp.nullable(),
    grants: z.array(
      z.object({ bundle: Named, scope: Scope, created_at: Timestamp }).meta({ id: 'MachineGrant' }),
    ),
    tokens: z.array(MachineToken),
    trusts: z.array(MachineTrust),
    attempts: z.int(),
  })
  .meta({ id: 'Machine', examples: [EXAMPLE] })

export const MachineList = z.array(Machine).meta({ id: 'MachineList', examples: [[EXAMPLE]] })

const days = `expires_in_days must be a whole number from 1 to ${LIMITS.tokenDays}`
const overlap = `overlap_seconds must be a whole number from 0 to ${TIMES.maxTokenOverlapSeconds}`

/** `networks`: addresses or networks that calls must come from; empty for everywhere. */
export const CreateToken = z
  .object({
    expires_in_days: z.int(days).min(1, days).max(LIMITS.tokenDays, days).default(LIMITS.defaultTokenDays),
    networks: z
      .array(z.string({ error: 'networks must be texts' }), { error: 'networks must be a list' })
      .max(LIMITS.tokenNetworks, `networks must be at most ${LIMITS.tokenNetworks}`)
      .default([]),
  })
  .meta({ id: 'CreateToken', examples: [{ expires_in_days: 90, networks: ['10.0.0.0/8'] }] })

/** How long the old token works beside the new one. */
export const RotateToken = z
  .object({
    overlap_seconds: z
      .int(overlap)
      .min(0, overlap)
      .max(TIMES.maxTokenOverlapSeconds, overlap)
      .default(TIMES.tokenOverlapSeconds),
  })
  .meta({ id: 'RotateToken', examples: [{ overlap_seconds: TIMES.tokenOverlapSeconds }] })

/** The only answer that ever carries the token. */
export const CreatedToken = z
  .object({ id: Id, token: z.string(), hint: z.string(), expires_at: Timestamp })
  .meta({
    id: 'CreatedToken',
    examples: [
      {
        id: EXAMPLE.tokens[0].id,
        token: 'kfm_1qe4Lu2mocTfktLY76oNVmefgoTFePvhPrbkbVEOevO3LSBXn',
        hint: 'SBXn',
        expires_at: EXAMPLE.tokens[0].expires_at,
      },
    ],
  })

/** Leaked tokens in the form of GitHub's secret scanning, unsigned: anyone who has a token may end it. Texts that are no
 * tokens are ignored. */
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
  .max(LIMITS.reportedTokens, `the body must hold at most ${LIMITS.reportedTokens} reports`)
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

const claimText = z
  .string({ error: 'claims must be lists of texts' })
  .min(1, 'claims must not be empty texts')
  .max(LIMITS.claimLength, `claims must be at most ${LIMITS.claimLength} characters`)

const maxAge = 'max_age_seconds must be a whole number from 60 to 86400'

/** `claims`: exact texts by name; a token needs one of them for each. `keys`: the issuer's key set (JWKS), for an issuer that
 * the server cannot reach. `broad`: allow claims that are not specific. */
export const CreateTrust = z
  .object({
    issuer: requiredText('issuer', LIMITS.claimLength, 'issuer required'),
    audience: requiredText('audience', LIMITS.claimLength, 'audience must be a text').optional(),
    claims: z
      .record(claimText, z.array(claimText).min(1).max(LIMITS.claimValues), { error: 'claims required' })
      .refine(
        (claims) => Object.keys(claims).length <= LIMITS.trustClaims,
        `claims must be at most ${LIMITS.trustClaims}`,
      ),
    keys: z
      .object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(LIMITS.issuerKeys) })
      .optional(),
    binding: Binding.optional(),
    networks: z
      .array(z.string({ error: 'networks must be texts' }), { error: 'networks must be a list' })
      .max(LIMITS.tokenNetworks, `networks must be at most ${LIMITS.tokenNetworks}`)
      .default([]),
    max_age_seconds: z.int(maxAge).min(60, maxAge).max(86_400, maxAge).optional(),
    broad: Flag('broad').default(false),
  })
  .meta({
    id: 'CreateTrust',
    examples: [{ issuer: 'https://token.actions.githubusercontent.com', claims: EXAMPLE_CLAIMS }],
  })

export const MachineTrustParams = z.object({
  machine_id: PathPart('machine_id'),
  trust_id: PathPart('trust_id'),
})

export const MachineAttemptParams = z.object({
  machine_id: PathPart('machine_id'),
  fingerprint: PathPart('fingerprint'),
})

/** Refused calls whose ID token was verified, the latest first. `reason`: what differs, by name, separated by commas.
 * `suggested`: the claims to choose beforehand. `is_bound`: the token was bound to the client's key. */
export const MachineAttemptList = z
  .array(
    z
      .object({
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
      .meta({ id: 'MachineAttempt' }),
  )
  .meta({
    id: 'MachineAttemptList',
    examples: [
      [
        {
          fingerprint: '5f2e8d8a6c1b4e0f9a7d3c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a29',
          issuer: 'https://token.actions.githubusercontent.com',
          claims: {
            repository: 'acme/web',
            repository_id: '789',
            environment: 'prod',
            ref: 'refs/heads/main',
          },
          suggested: ['repository_id', 'environment'],
          is_bound: true,
          reason: 'issuer',
          first_at: '2026-01-31T12:00:00.000Z',
          last_at: '2026-01-31T12:00:00.000Z',
          times: 1,
        },
      ],
    ],
  })

/** `claims`: names of the attempt's claims that the trust demands. */
export const AllowAttempt = z
  .object({
    claims: z
      .array(z.string({ error: 'claims must be names' }), { error: 'claims required' })
      .min(1, 'claims must not be empty')
      .max(LIMITS.trustClaims, `claims must be at most ${LIMITS.trustClaims}`),
    broad: Flag('broad').default(false),
  })
  .meta({ id: 'AllowAttempt', examples: [{ claims: ['repository_id', 'environment'] }] })

export const NoContent = z.literal('').meta({ id: 'NoContent', examples: [''] })
