import { z } from 'zod'
import { LIMITS, TIMES } from '../limits.ts'
import { Flag, Id, listOf, NetworkList, object, requiredText, Timestamp, wholeNumber } from './text.ts'

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

const { minIdTokenAgeSeconds: MIN_AGE, maxIdTokenAgeSeconds: MAX_AGE } = TIMES

const maxAge = `max_age_seconds must be a whole number from ${MIN_AGE} to ${MAX_AGE}`

const claimsOf = <Claim extends z.ZodType>(claim: Claim) =>
  z
    .record(claimText, claim, { error: 'claims required' })
    .refine(
      (claims) => Object.keys(claims).length <= LIMITS.trustClaims,
      `claims must be at most ${LIMITS.trustClaims}`,
    )

/** `claims`: exact texts by name; a token needs one of them for each. `keys`: the issuer's key set (JWKS), for an
 * issuer that the server cannot reach. `broad`: allow claims that are not specific. */
export const CreateTrust = object('CreateTrust', {
  issuer: requiredText('issuer', LIMITS.claimLength, 'issuer required'),
  audience: requiredText('audience', LIMITS.claimLength, 'audience must be a text').optional(),
  claims: claimsOf(z.array(claimText).min(1).max(LIMITS.claimValues)),
  keys: z
    .object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(LIMITS.issuerKeys) })
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
