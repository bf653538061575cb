import { z } from 'zod'

/** What the approver let the terminal repeat. Plain JSON: kept with a held approval until it returned. */
export const GrantDraft = z.object({
  hours: z.number(),
  /** In all working trees of the repository. */
  isForRepository: z.boolean().default(false),
  /** Delivered names, sorted. */
  keys: z.array(z.string()),
  /** Required names that the approver left out. */
  leftOut: z.array(z.string()),
  /** A digest of all names of the bundle, for a request that asked for no names. */
  bundleNames: z.string(),
  /** For the next run only. */
  isOnce: z.boolean().default(false),
  /** Valid for any command that runs a program. `until`: ISO timestamp. `also`: ids of waiting requests that start with
   * it. `versions`: what is delivered first, by the ids of the keys. */
  task: z
    .object({
      until: z.string(),
      also: z.array(z.string()),
      versions: z.record(z.string(), z.number()),
    })
    .optional(),
  /** The approver's epoch, see `KnownUser`. It is not remembered in a later one. */
  epoch: z.number().default(0),
})

export type GrantDraft = z.infer<typeof GrantDraft>
