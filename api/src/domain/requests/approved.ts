import { AssuranceField, Receipt, ReceiptTouch } from '@keyferry/contract'
import { z } from 'zod'
import { GrantDraft } from './grant-draft.ts'

/*
 * What a person approved, as the request store keeps it until the request ends. Plain JSON. The store reads only what
 * every approval has; its kind reads the rest back through its own schema.
 */

const Named = z.object({ id: z.string(), name: z.string() })

const Names = z.array(z.string())

/** Who approved, in which tenant, and with which touches: that of the first of two people comes first. */
const By = { approverId: z.string(), tenant: Named, touches: z.array(ReceiptTouch).optional() }

/** An approval of any kind. */
export const Approved = z.looseObject({ kind: z.string(), ...By })

export type Approved = z.infer<typeof Approved>

/** Values of a bundle, sealed to the client. */
export const ApprovedDelivery = z.object({
  kind: z.literal('delivery'),
  ...By,
  bundle: Named,
  /** Required keys of the bundle that the approver left out. */
  missingRequired: Names,
  deliveryId: z.string(),
  /** The version of each delivered value that has versions, by its delivered name. */
  versions: z.array(z.object({ name: z.string(), version: z.number() })),
  /** Names of delivered values that had expired. */
  expired: Names,
  /** The signed receipt. */
  receipt: Receipt,
  /** What the approver lets the terminal repeat, once the approval returned over loopback. */
  remember: GrantDraft.nullable(),
})

export type ApprovedDelivery = z.infer<typeof ApprovedDelivery>

/** A list of names, sealed to the client. */
export const ApprovedNames = z.object({
  kind: z.literal('names'),
  ...By,
  /** What the event names. */
  target: Named.extend({ kind: z.enum(['bundle', 'tenant']) }),
  /** What the approval took. */
  assurance: AssuranceField,
})

export type ApprovedNames = z.infer<typeof ApprovedNames>

/** Values that the client sealed to the server, with exactly what happens to them. */
export const ApprovedDeposit = z.object({
  kind: z.literal('deposit'),
  ...By,
  username: z.string(),
  /** Of the record in the database. */
  depositId: z.string(),
  planId: z.string(),
  choices: z.object({
    own: Names,
    share: Names,
    replace: z.union([z.literal('all'), Names]),
    keyNames: z.record(z.string(), z.string()),
  }),
  /** What the approval took. */
  assurance: AssuranceField,
  /** What the terminal compares before it returns the approval, signed. */
  statement: Receipt,
  /** Of a proposal, the names whose values owners may read; null: the values are stored. */
  readable: Names.nullable().default(null),
})

export type ApprovedDeposit = z.infer<typeof ApprovedDeposit>
