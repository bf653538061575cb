import { z } from 'zod'
import { AssuranceField, TouchField } from './policy.ts'
import { ReleaseField } from './release.ts'

/** Why a caller may not approve; codes of the error body too. */
export const WhyNotCode = z.enum([
  'release_required',
  'owner_approves',
  'named_approves',
  'agents_denied',
  'second_person',
])

export type WhyNotCode = z.output<typeof WhyNotCode>

const REASONS = [...WhyNotCode.options, 'no_such_bundle'] as const

/** Why no one can approve a request. */
export const DenialReason = z.enum(REASONS, { error: `reason must be one of ${REASONS.join(', ')}` })

export type DenialReason = z.output<typeof DenialReason>

/** `who`: names of people who may approve instead. `names`: of values that come under a rule of another bundle; without
 * them, the approval may succeed. */
export const WhyNot = z.object({
  code: WhyNotCode,
  error: z.string(),
  who: z.array(z.string()).optional(),
  names: z.array(z.string()).optional(),
})

/** What an approval of a request takes, whatever the request is for. */
export const ApprovalTerms = {
  /** An approval is refused with `touch_required` until the approver signs it; absent: it is not. */
  touch: TouchField.optional(),
  /** The strictest of all bundles that the approval is about. */
  assurance: AssuranceField,
  may_approve: z.boolean(),
  why_not: WhyNot.nullable(),
  /** The ways of return that the client offers and the rules allow. */
  release: z.array(ReleaseField),
  release_required: z.boolean(),
}

/** `reason`: why no one can approve the request. The client gets it as `details.reason` of error `request_denied`. */
export const DenyQuery = z.object({ reason: DenialReason.optional() })
