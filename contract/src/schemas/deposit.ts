import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { BundleName } from './bundle.ts'
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

const Entries = z
  .array(z.object({ name: KeyName, is_secret: Flag('is_secret').optional() }), { error: ENTRIES })
  .max(LIMITS.depositEntries, ENTRIES)

const ALSO = `deposit.also must be a list of at most ${LIMITS.comparedBundles - 1} bundles with entries`

/** The values are in the box, in the order of `entries`; everything else is shown to the approver. `kid`: the deposit
 * key that the box is sealed to. `detach`: names that the bundle no longer delivers. `own`, `share`, `replace`: as in
 * an import; the approver may choose otherwise. `also`: entries of other bundles, which are stored with the first or
 * not at all; their values follow in the box. docs/deposits.md says what the box holds. */
export const Deposit = z
  .object(
    {
      kid: z.string({ error: 'deposit.kid required' }).regex(/^[0-9a-f]{16}$/, 'deposit.kid is no key id'),
      entries: Entries,
      detach: z.array(KeyName, { error: DETACH }).max(LIMITS.depositEntries, DETACH).default([]),
      own: own.max(LIMITS.depositEntries).default([]),
      share: share.max(LIMITS.depositEntries).default([]),
      replace: replace.default([]),
      also: z
        .array(z.object({ bundle: BundleName, entries: Entries.min(1, ALSO) }), { error: ALSO })
        .max(LIMITS.comparedBundles - 1, ALSO)
        .default([]),
      ciphertext_base64: z.base64({ error: BOX }).min(64, BOX).max(BOX_LENGTH, BOX),
    },
    { error: 'deposit must be an object' },
  )
  .refine(({ entries, detach, also }) => {
    const others = also.reduce((count, other) => count + other.entries.length, 0)
    return entries.length + detach.length > 0 && isWithin(entries.length + detach.length + others)
  }, SOME)
  .refine(
    (deposit) => isEachOnce(namesOf(deposit)) && deposit.also.every((other) => isEachOnce(namesOf(other))),
    {
      error: 'deposit must not name a variable twice',
    },
  )
  .refine(({ also }) => isEachOnce(also.map(({ bundle }) => bundle)), {
    error: 'deposit.also must not name a bundle twice',
  })
  .meta({ id: 'Deposit' })

function isWithin(count: number): boolean {
  return count > 0 && count <= LIMITS.depositEntries
}

function isEachOnce(names: readonly string[]): boolean {
  return new Set(names).size === names.length
}

function namesOf({ entries, detach = [] }: { entries: { name: string }[]; detach?: string[] }): string[] {
  return [...entries.map(({ name }) => name), ...detach]
}

const ShownEntries = z.array(z.object({ name: z.string(), is_secret: z.boolean().nullable() }))

/** What a deposit contains, without its values. `is_secret`: null where the client does not say. `also`: absent where
 * it is for one bundle. */
export const DepositContent = object('DepositContent', {
  entries: ShownEntries,
  detach: z.array(z.string()),
  own: z.array(z.string()),
  share: z.array(z.string()),
  replace: z.union([z.literal('all'), z.array(z.string())]),
  also: z.array(z.object({ bundle: z.string(), entries: ShownEntries })).optional(),
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

const OfBundle = {
  /** Null for a bundle that is still to be created. */
  bundle_id: Id.nullable(),
  bundle: z.string(),
  plan: z.array(DepositStep),
}

/** What an approval of the deposit does, and what it takes. */
export const DepositPlan = object('DepositPlan', {
  ...OfBundle,
  plan_id: z.string(),
  /** What it does to other bundles that it is for. */
  also: z.array(z.object(OfBundle)).optional(),
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

const Counts = z.record(z.enum(IMPORT_ACTIONS), z.int())

/** `counts`: how many variables had each action. `approved_by`: a username. `receipt`: says the same, and what
 * happened to each variable; docs/deposits.md has its form. */
export const AppliedDeposit = object('AppliedDeposit', {
  id: Id,
  bundle: Named,
  workspace: Named,
  counts: Counts,
  also: z.array(z.object({ bundle: Named, counts: Counts })).optional(),
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
