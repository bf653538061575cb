import { z } from 'zod'

/** Why a caller may not approve; codes of the error body too. */
const WHY_NOT = ['release_required', 'owner_approves', 'agents_denied', 'second_person'] as const

export const WhyNot = z.object({ code: z.enum(WHY_NOT), error: z.string() })
