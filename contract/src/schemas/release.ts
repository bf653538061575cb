import { z } from 'zod'
import { Flag, object, Timestamp } from './text.ts'

/** How an approval can return to the terminal: through the client's own loopback address, or as a code typed there. */
export const RELEASES = ['loopback', 'code'] as const

export type ReleaseWay = (typeof RELEASES)[number]

export const ReleaseField = z.enum(RELEASES, { error: 'release must be loopback or code' })

const EXPIRES = { expires_in: z.int() }

/** What the approver's page carries back to the terminal. `secret` travels in a form to the client's loopback address
 * and never in a URL; `code` is six digits, `482 913`, for the person to type. */
export const Release = z
  .discriminatedUnion('by', [
    z.object({ by: z.literal('loopback'), secret: z.string(), ...EXPIRES }),
    z.object({ by: z.literal('code'), code: z.string(), ...EXPIRES }),
  ])
  .meta({ id: 'Release' })

/** `release`: the values are held until the terminal returns it. `approvals`: how many people approved, where the
 * bundle needs two. `later_until`: nothing was delivered, and the same command starts once until then. */
export const Approved = object('Approved', {
  ok: z.literal(true),
  release: Release.optional(),
  approvals: z.object({ given: z.int(), needed: z.int() }).optional(),
  later_until: Timestamp.optional(),
})

export const FreshCode = object('FreshCode', { release: Release })

/** `keep`: the secret has arrived in time, and the terminal asks its person before it returns the approval. Nothing is
 * released, and the same secret counts for two more minutes. */
export const ReleaseRequest = object('ReleaseRequest', {
  secret: z.string({ error: 'secret required' }).min(1, 'secret required').max(64),
  keep: Flag('keep').optional(),
})
