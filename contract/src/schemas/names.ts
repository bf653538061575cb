import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { ReleaseField } from './release.ts'
import { ApprovalTerms } from './request-refusal.ts'
import { Id, Named, object, optionalText, requiredText } from './text.ts'

const BundleId = requiredText('bundle_id', LIMITS.nameLength, 'bundle_id must be the id of a bundle')

/** Absent if the request names no bundle: then the bundles of the workspace are listed. */
export const NamesQuery = z.object({ bundle_id: BundleId.optional() })

const ListedName = object('ListedName', { name: z.string(), is_secret: z.boolean(), required: z.boolean() })
const ListedBundle = object('ListedBundle', { id: Id, name: z.string(), key_count: z.int() })

/** What an approval lets the terminal read, and what the approval takes. No value. */
export const NamesOffer = object('NamesOffer', {
  /** Null where bundles are listed. */
  bundle: Named.nullable(),
  /** What the bundle delivers, in its order; empty where bundles are listed. */
  names: z.array(ListedName),
  /** The bundles of the workspace, by name; empty where names are listed. */
  bundles: z.array(ListedBundle),
  /** How many bundles are missing, because their rules keep them from this terminal or this approver. */
  left_out: z.int(),
  ...ApprovalTerms,
})

export const ApproveNames = object(
  'ApproveNames',
  {
    bundle_id: BundleId.optional(),
    user_code: optionalText('user_code', 32).optional(),
    /** How the approval returns to the terminal; one of the ways that the client offered. */
    release: ReleaseField.optional(),
  },
  { bundle_id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10' },
)
