import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { AppliedDeposit } from './deposit.ts'
import { KeptProposal, Proposal } from './proposal.ts'
import { Receipt } from './receipt.ts'
import { ReleaseField } from './release.ts'
import { Actor, Id, object, Timestamp } from './text.ts'

export const WaitQuery = z.object({
  interval: z.coerce
    .number({ error: 'interval must be a number of seconds' })
    .int()
    .min(0)
    .max(3_600)
    .optional(),
  /** What the client knows that the request needs. With it, the call ends as soon as the request needs something else.
   * A release over loopback does not end the call: the client's own listener sees it. */
  known: z.enum(['none', 'loopback', 'code', 'second_person', 'approver']).optional(),
  /** As the answer to the creation had it. If a crash lost the request since, `not_found` has `details.lost`: true. */
  epoch: z.string().max(LIMITS.nameLength, 'epoch is too long').optional(),
})

/** `leave`: where the creation said `may_leave`, a person can still approve the request, for the next run. */
export const WithdrawQuery = z.object({ leave: z.literal('1', { error: 'leave must be 1' }).optional() })

/** `left`: the request is still open. */
export const Withdrawn = object('Withdrawn', { ok: z.literal(true), left: z.literal(true).optional() })

/** The proof that a request is the caller's own. */
export const VerifierHeaders = z.object({ 'x-poll-verifier': z.string().optional() })

const named = (id: string) => z.object({ id: Id, name: z.string() }).meta({ id })
export const NamedBundle = named('NamedBundle')
export const NamedWorkspace = named('NamedWorkspace')

/** `missing_required`: keys that the bundle marks as required and that the approver left out. The API takes such an
 * approval, because a client of the plain interface knows no second confirmation; the page asks for one, and the
 * terminal decides what to do with the names. `expired`: delivered values that are past their `expires_at`. `versions`:
 * the version of each delivered key. `needs` of a pending request: `release`, the approval waits for its return to the
 * terminal (`release_by`); `second_person`, one person approved and the bundle needs two; `approver`, a person vouched
 * and others decide (`deciders`: owners, or people that the rules name); `expires_in`: for how long, for a client that
 * `waits_for_others`. `task_until`: the approval is of a task, which counts until then. All but the ciphertext are
 * absent where it was stored directly. `applied`: the deposit is stored; told once. `proposed`: it is kept for the
 * owners; told once. `statement` of a held deposit: who approved it for which workspace, signed as a receipt is;
 * docs/deposits.md has its form. */
export const WaitResult = z
  .discriminatedUnion('status', [
    z.object({
      status: z.literal('pending'),
      needs: z.enum(['release', 'second_person', 'approver']).optional(),
      release_by: ReleaseField.optional(),
      statement: Receipt.optional(),
      deciders: z.object({ who: z.enum(['owner', 'named']), count: z.int() }).optional(),
      expires_in: z.int().optional(),
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
      task_until: Timestamp.optional(),
    }),
    z.object({ status: z.literal('applied'), deposit: AppliedDeposit }),
    z.object({ status: z.literal('proposed'), proposal: KeptProposal }),
  ])
  .meta({ id: 'WaitResult' })

/** `person`: who asks, or who approved first. */
const request = {
  request_id: z.string(),
  bundle: NamedBundle,
  key_count: z.int(),
  person: Actor,
  at: Timestamp,
  expires_at: Timestamp,
}

/** What waits for a decision of the caller, the newest first. `request`: a person says that the request is of their own
 * terminal, and may not approve it. `second_approval`: one person approved, and the bundle needs two. `proposal`: a
 * person proposes values that they may not store; owners decide. */
export const WaitingList = z
  .array(
    z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('request'), ...request }),
        z.object({ kind: z.literal('second_approval'), ...request }),
        z.object({ kind: z.literal('proposal'), proposal: Proposal, person: Actor, at: Timestamp }),
      ])
      .meta({ id: 'WaitingItem' }),
  )
  .meta({ id: 'WaitingList' })
