import { AppliedDeposit as Applied, ASSURANCES } from '@keyferry/contract'
import { z } from 'zod'

/*
 * What the request store keeps of a deposit. Plain JSON, read back through these schemas. The values are only in the sealed
 * box, which the API alone can open.
 */

const Names = z.array(z.string())

/** What the client sent: everything but the values can be shown. */
export const DepositBox = z.object({
  /** The deposit key that the box is sealed to. */
  kid: z.string(),
  entries: z.array(z.object({ name: z.string(), is_secret: z.boolean().nullable() })),
  detach: Names,
  own: Names,
  share: Names,
  replace: z.union([z.literal('all'), Names]),
  ciphertextBase64: z.string(),
})

export type DepositBox = z.infer<typeof DepositBox>

/** Who approved a deposit, where, and exactly what. */
export const DepositApproval = z.object({
  /** Of the record in the database. */
  id: z.string(),
  approver: z.object({ id: z.string(), username: z.string() }),
  tenant: z.object({ id: z.string(), name: z.string() }),
  planId: z.string(),
  choices: z.object({
    own: Names,
    share: Names,
    replace: z.union([z.literal('all'), Names]),
    keyNames: z.record(z.string(), z.string()),
  }),
  /** What the approval took. */
  assurance: z.enum(ASSURANCES),
})

export type DepositApproval = z.infer<typeof DepositApproval>

export const AppliedDeposit = Applied

/** What was stored; told to the client once. */
export type AppliedDeposit = z.infer<typeof AppliedDeposit>
