import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Flag, Id, NetworkList, requiredText, Timestamp } from './text.ts'

const Binding = z.enum(['required', 'possible'], { error: 'binding must be required or possible' })

const EXAMPLE_CLAIMS = { repository_id: ['789'], environment: ['prod'] }

/** `binding`: `required`, if the audience has to name the client's key (`<audience>/key/<hash>`). `has_keys`: the
 * issuer's keys were pasted. `is_broad`: an owner allowed it although it is not specific. */
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

const claimText = z
  .string({ error: 'claims must be lists of texts' })
  .min(1, 'claims must not be empty texts')
  .max(LIMITS.claimLength, `claims must be at most ${LIMITS.claimLength} characters`)

const maxAge = 'max_age_seconds must be a whole number from 60 to 86400'

/** `claims`: exact texts by name; a token needs one of them for each. `keys`: the issuer's key set (JWKS), for an
 * issuer that the server cannot reach. `broad`: allow claims that are not specific. */
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
    networks: NetworkList.default([]),
    max_age_seconds: z.int(maxAge).min(60, maxAge).max(86_400, maxAge).optional(),
    broad: Flag('broad').default(false),
  })
  .meta({
    id: 'CreateTrust',
    examples: [{ issuer: 'https://token.actions.githubusercontent.com', claims: EXAMPLE_CLAIMS }],
  })
