import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Flag, Timestamp } from './text.ts'

/** Refused calls whose ID token was verified, the latest first. `reason`: what differs, by name, separated by commas.
 * `suggested`: the claims to select by default. `is_bound`: the token was bound to the client's key. */
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
