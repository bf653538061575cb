import { AppliedDeposit as Applied, KeptProposal } from '@keyferry/contract'
import { z } from 'zod'

/*
 * What the request store keeps of a deposit. Plain JSON, read back through these schemas. The values are only in the
 * sealed box, which the API alone can open.
 */

const Names = z.array(z.string())

const Entries = z.array(z.object({ name: z.string(), is_secret: z.boolean().nullable() }))

/** What the client sent: everything but the values can be shown. */
export const DepositBox = z.object({
  /** The deposit key that the box is sealed to. */
  kid: z.string(),
  entries: Entries,
  detach: Names,
  own: Names,
  share: Names,
  replace: z.union([z.literal('all'), Names]),
  /** Entries of other bundles. */
  also: z.array(z.object({ bundle: z.string(), entries: Entries })).default([]),
  ciphertextBase64: z.string(),
})

export type DepositBox = z.infer<typeof DepositBox>

export const AppliedDeposit = z.union([z.object({ deposit: Applied }), z.object({ proposal: KeptProposal })])

/** What was stored, or kept for the owners; the client gets it once. */
export type AppliedDeposit = z.infer<typeof AppliedDeposit>
