import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { AssuranceField } from './policy.ts'
import { ReleaseField } from './release.ts'
import { WhyNot } from './request-refusal.ts'
import { Id, optionalText, requiredText } from './text.ts'

const BundleId = requiredText('bundle_id', LIMITS.nameLength, 'bundle_id must be the id of a bundle')

/** Absent if the request names no bundle: then the bundles of the workspace are listed. */
export const NamesQuery = z.object({ bundle_id: BundleId.optional() })

const ListedName = z
  .object({ name: z.string(), is_secret: z.boolean(), required: z.boolean() })
  .meta({ id: 'ListedName' })
const ListedBundle = z.object({ id: Id, name: z.string(), key_count: z.int() }).meta({ id: 'ListedBundle' })

/** What an approval lets the terminal read, and what the approval takes. No value. */
export const NamesOffer = z
  .object({
    /** Null where bundles are listed. */
    bundle: z.object({ id: Id, name: z.string() }).nullable(),
    /** What the bundle delivers, in its order; empty where bundles are listed. */
    names: z.array(ListedName),
    /** The bundles of the workspace, by name; empty where names are listed. */
    bundles: z.array(ListedBundle),
    /** How many bundles are missing, because their rules keep them from this terminal or this approver. */
    left_out: z.int(),
    /** The strictest of the workspace's and of the listed bundles'. */
    assurance: AssuranceField,
    may_approve: z.boolean(),
    why_not: WhyNot.nullable(),
    /** The ways of return that the client offers and the rules allow. */
    release: z.array(ReleaseField),
    release_required: z.boolean(),
    user_code_required: z.boolean(),
  })
  .meta({
    id: 'NamesOffer',
    examples: [
      {
        bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app' },
        names: [{ name: 'DATABASE_URL', is_secret: true, required: false }],
        bundles: [],
        left_out: 0,
        assurance: 'compat',
        may_approve: true,
        why_not: null,
        release: ['loopback', 'code'],
        release_required: false,
        user_code_required: false,
      },
    ],
  })

export const ApproveNames = z
  .object({
    bundle_id: BundleId.optional(),
    user_code: optionalText('user_code', 32).optional(),
    /** How the approval returns to the terminal; one of the ways that the client offered. */
    release: ReleaseField.optional(),
  })
  .meta({ id: 'ApproveNames', examples: [{ bundle_id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10' }] })
