import { z } from 'zod'
import { IMPORT_CHOICES } from './import.ts'
import { Actor, Id, Named, object, Timestamp } from './text.ts'

/** What became of a proposal; `withdrawn` also if a newer one took its place, or its proposer left. */
export const PROPOSAL_STATES = ['open', 'stored', 'declined', 'expired', 'withdrawn'] as const

/** What a proposal would store or remove. `is_secret`: false where the proposer lets owners read the value. */
const content = {
  entries: z.array(z.object({ name: z.string(), is_secret: z.boolean() })),
  detach: z.array(z.string()),
}

/** Values that a member asks the owners to store. `bundle.id`: null for a bundle that did not exist. `sender`: what the
 * terminal said of itself, and its address; null once the proposal has ended. */
export const Proposal = object('Proposal', {
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

export const ProposalList = z.array(Proposal).meta({ id: 'ProposalList' })

/** What a deposit becomes where its sender may not store it. `owners`: who can. */
export const OfferedProposal = object('OfferedProposal', {
  error: z.string(),
  owners: z.array(z.string()),
  /** Values that the terminal marked as not secret. */
  values: z.record(z.string(), z.string()),
})

/** `readable`: names whose values owners may read. */
export const Propose = object('Propose', { readable: IMPORT_CHOICES.own.default([]) })

/** A deposit that was kept for the owners. */
export const KeptProposal = object('KeptProposal', {
  id: Id,
  bundle: z.object({ name: z.string() }),
  workspace: Named,
  expires_at: Timestamp,
})
