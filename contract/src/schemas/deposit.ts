import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { IMPORT_ACTIONS, IMPORT_CHOICES, ImportStep, PlanId } from './import.ts'
import { KeyName } from './key.ts'
import { KeptProposal, OfferedProposal, Propose } from './proposal.ts'
import { Receipt } from './receipt.ts'
import { Release, ReleaseField } from './release.ts'
import { ApprovalTerms } from './request-refusal.ts'
import { Flag, Id, Named, object, optionalText, Stricter, Timestamp } from './text.ts'

const ENTRIES = `deposit.entries must be a list of at most ${LIMITS.depositEntries} names`
const DETACH = `deposit.detach must be a list of at most ${LIMITS.depositEntries} names`
const SOME = `deposit.entries and deposit.detach must have 1 to ${LIMITS.depositEntries} names together`
const BOX = `deposit.ciphertext_base64 must be the base64 of a sealed box of at most ${LIMITS.depositBytes} bytes`
const BOX_LENGTH = Math.ceil((LIMITS.depositBytes + 48) / 3) * 4

const { own, share, replace } = IMPORT_CHOICES

/** The values are in the box, in the order of `entries`; everything else is shown to the approver. `kid`: the deposit
 * key that the box is sealed to. `detach`: names that the bundle no longer delivers. `own`, `share`, `replace`: as in
 * an import; the approver may choose otherwise. docs/deposits.md says what the box holds. */
export const Deposit = z
  .object(
    {
      kid: z.string({ error: 'deposit.kid required' }).regex(/^[0-9a-f]{16}$/, 'deposit.kid is no key id'),
      entries: z
        .array(z.object({ name: KeyName, is_secret: Flag('is_secret').optional() }), { error: ENTRIES })
        .max(LIMITS.depositEntries, ENTRIES),
      detach: z.array(KeyName, { error: DETACH }).max(LIMITS.depositEntries, DETACH).default([]),
      own: own.max(LIMITS.depositEntries).default([]),
      share: share.max(LIMITS.depositEntries).default([]),
      replace: replace.default([]),
      ciphertext_base64: z.base64({ error: BOX }).min(64, BOX).max(BOX_LENGTH, BOX),
    },
    { error: 'deposit must be an object' },
  )
  .refine(({ entries, detach }) => isWithin(entries.length + detach.length), SOME)
  .refine((deposit) => new Set(namesOf(deposit)).size === namesOf(deposit).length, {
    error: 'deposit must not name a variable twice',
  })
  .meta({ id: 'Deposit' })

function isWithin(count: number): boolean {
  return count > 0 && count <= LIMITS.depositEntries
}

function namesOf({ entries, detach }: { entries: { name: string }[]; detach: string[] }): string[] {
  return [...entries.map(({ name }) => name), ...detach]
}

/** What a deposit contains, without its values. `is_secret`: null where the client does not say. */
export const DepositContent = object('DepositContent', {
  entries: z.array(z.object({ name: z.string(), is_secret: z.boolean().nullable() })),
  detach: z.array(z.string()),
  own: z.array(z.string()),
  share: z.array(z.string()),
  replace: z.union([z.literal('all'), z.array(z.string())]),
})

/** The key that clients seal deposits to. `public_key`: base64 of 32 bytes. `signed_by`: a key that signs receipts
 * signed it, over the frame of `keyferry deposit key v1` and the public key. */
export const DepositKey = object('DepositKey', {
  kid: z.string(),
  public_key: z.base64(),
  created_at: Timestamp,
  signed_by: z.object({ kid: z.string(), signature: z.base64() }),
})

/** Absent choices are those of the client. */
const choices = z.object(IMPORT_CHOICES).partial().shape

export const PlanDeposit = object('PlanDeposit', choices, {})

/** A step with what may be shown of it. */
const DepositStep = ImportStep.extend({
  /** Of a value that is not secret, before and after. */
  old_value: z.string().optional(),
  new_value: z.string().optional(),
}).meta({ id: 'DepositStep' })

/** What an approval of the deposit does, and what it takes. */
export const DepositPlan = object('DepositPlan', {
  /** Null for a bundle that is still to be created. */
  bundle_id: Id.nullable(),
  bundle: z.string(),
  plan: z.array(DepositStep),
  plan_id: z.string(),
  /** Of the bundle, and of those that the plan changes too, or whose keys it shares. */
  ...ApprovalTerms,
  /** Names of other bundles whose values change. */
  changes: z.array(z.string()),
  /** Names of production bundles that the plan writes to. */
  production: z.array(z.string()),
  ...Stricter,
  /** The caller cannot store it, but can propose it to the owners; then `plan` is empty. */
  proposal: OfferedProposal.optional(),
})

export const ApproveDeposit = object('ApproveDeposit', {
  ...choices,
  /** The plan that the approver saw. */
  plan_id: PlanId,
  user_code: optionalText('user_code', 32).optional(),
  /** How the approval returns to the terminal; one of the ways that the client offered. */
  release: ReleaseField.optional(),
  /** Propose it to the owners instead of storing it. */
  propose: Propose.optional(),
})

/** What storing a proposal would do now. */
export const ProposalPlan = DepositPlan.pick({
  bundle_id: true,
  bundle: true,
  plan: true,
  plan_id: true,
  changes: true,
  production: true,
  stricter: true,
}).meta({ id: 'ProposalPlan' })

/** `marks`: which values are secret from now on; absent, each keeps its key's mark. */
const decided = { ...choices, marks: z.record(KeyName, Flag('marks')).optional() }

export const PlanProposal = object('PlanProposal', decided, {})

export const AcceptProposal = object('AcceptProposal', { ...decided, plan_id: PlanId })

/** `counts`: how many variables had each action. `approved_by`: a username. `receipt`: says the same, and what
 * happened to each variable; docs/deposits.md has its form. */
export const AppliedDeposit = object('AppliedDeposit', {
  id: Id,
  bundle: Named,
  workspace: Named,
  counts: z.record(z.enum(IMPORT_ACTIONS), z.int()),
  approved_by: z.string(),
  receipt: Receipt,
})

/** `release`: nothing is stored until the terminal returns it. `deposit`: stored. `proposal`: kept for the owners. */
export const ApprovedDeposit = object('ApprovedDeposit', {
  ok: z.literal(true),
  release: Release.optional(),
  deposit: AppliedDeposit.optional(),
  proposal: KeptProposal.optional(),
})
