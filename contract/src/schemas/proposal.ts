import { z } from 'zod'
import { IMPORT_CHOICES } from './import.ts'
import { Actor, Id, Timestamp } from './text.ts'

/** What became of a proposal; `withdrawn` also if a newer one took its place, or its proposer left. */
export const PROPOSAL_STATES = ['open', 'stored', 'declined', 'expired', 'withdrawn'] as const

/** What a proposal would store or remove. `is_secret`: false where the proposer lets owners read the value. */
const content = {
  entries: z.array(z.object({ name: z.string(), is_secret: z.boolean() })),
  detach: z.array(z.string()),
}

/** Values that a member asks the owners to store. `bundle.id`: null for a bundle that did not exist. `sender`: what the
 * terminal said of itself, and its address; null once the proposal has ended. */
export const Proposal = z
  .object({
    id: Id,
    state: z.enum(PROPOSAL_STATES),
    bundle: z.object({ id: Id.nullable(), name: z.string() }),
    proposer: Actor,
    sender: z
      .object({ hostname: z.string(), user: z.string(), program: z.string(), ip: z.string() })
      .nullable(),
    ...content,
    created_at: Timestamp,
    expires_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'Proposal' })

export const ProposalList = z.array(Proposal).meta({
  id: 'ProposalList',
  examples: [
    [
      {
        id: '5f0c4a4e-6a55-4a8e-9f52-2f1c3f0f7a10',
        state: 'open',
        bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'prod/web' },
        proposer: { kind: 'user', id: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55', name: 'sam' },
        sender: { hostname: 'laptop', user: 'sam', program: 'keyferry', ip: '203.0.113.7' },
        entries: [{ name: 'SESSION_SECRET', is_secret: true }],
        detach: [],
        created_at: '2026-01-31T12:00:00.000Z',
        expires_at: '2026-02-07T12:00:00.000Z',
        ended_at: null,
      },
    ],
  ],
})

/** What a deposit becomes where its sender may not store it. `owners`: who can. */
export const OfferedProposal = z
  .object({
    error: z.string(),
    owners: z.array(z.string()),
    /** Values that the terminal marked as not secret. */
    values: z.record(z.string(), z.string()),
  })
  .meta({ id: 'OfferedProposal' })

/** `readable`: names whose values owners may read. */
export const Propose = z.object({ readable: IMPORT_CHOICES.own.default([]) }).meta({ id: 'Propose' })

/** A deposit that was kept for the owners. */
export const KeptProposal = z
  .object({
    id: Id,
    bundle: z.object({ name: z.string() }),
    workspace: z.object({ id: Id, name: z.string() }),
    expires_at: Timestamp,
  })
  .meta({ id: 'KeptProposal' })
