import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { ReleaseField } from './release.ts'
import { ApprovalTerms } from './request-refusal.ts'
import { Named, object, optionalText, requiredText } from './text.ts'

const BundleId = requiredText('bundle_id', LIMITS.nameLength, 'bundle_id must be the id of a bundle')

export const NamesQuery = z.object({ bundle_id: BundleId })

const ListedName = object('ListedName', { name: z.string(), is_secret: z.boolean(), required: z.boolean() })

/** What an approval lets the terminal read, and what the approval takes. No value. */
export const NamesOffer = object('NamesOffer', {
  bundle: Named,
  /** What the bundle delivers, in its order. */
  names: z.array(ListedName),
  ...ApprovalTerms,
})

export const ApproveNames = object(
  'ApproveNames',
  {
    bundle_id: BundleId,
    user_code: optionalText('user_code', 32).optional(),
    /** How the approval returns to the terminal; one of the ways that the client offered. */
    release: ReleaseField.optional(),
  },
  { bundle_id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10' },
)
