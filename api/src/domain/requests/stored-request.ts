import { DenialReason, FORMATS, RELEASES, REQUEST_KINDS, ReceiptTouch, RequestUse } from '@keyferry/contract'
import { z } from 'zod'
import { Approved } from './approved.ts'
import { AppliedDeposit } from './stored-deposit.ts'

/** Who asks: what the server saw (the named fields) and what the client claims about itself (any other). */
const StoredRequesterMeta = z
  .object({
    ip: z.string(),
    user_agent: z.string(),
    requested_at: z.string(),
    format: z.enum(FORMATS),
  })
  .catchall(z.string())

export type RequesterMeta = z.infer<typeof StoredRequesterMeta>

/** What a deposit's request keeps beside its box. */
const StoredDepositFacts = z.object({
  /** The check code, which covers the content and the box. */
  userCode: z.string(),
})

/** What never changes about a request. Plain JSON; read back through this schema. */
export const ApprovalRequest = z.object({
  id: z.string(),
  kind: z.enum(REQUEST_KINDS),
  /** Standard base64 of the client's 32 bytes. */
  publicKey: z.string(),
  /** A bundle's id or name, as the client gave it. */
  suggestedBundle: z.string().nullable(),
  /** A tenant's id or name, as the client gave it. */
  suggestedWorkspace: z.string().nullable(),
  templateKeys: z.array(z.string()),
  requesterMeta: StoredRequesterMeta,
  /** With a challenge, only the client that knows its verifier may wait. */
  pollChallenge: z.string().nullable(),
  /** The ways in which the client can take an approval back. */
  release: z.array(z.enum(RELEASES)),
  /** The whole command, as the client claims. */
  argv: z.array(z.string()).nullable(),
  /** A digest of the arguments that the client left out of `argv`. */
  argvMasked: z.string().nullable(),
  /** The folder that the command runs in, as the client claims. */
  cwd: z.string().nullable(),
  /** The public key of the terminal, which signed the request; base64. */
  deviceKey: z.string().nullable(),
  /** The flags of the command, as the terminal signed them; null: it did not say them. */
  use: RequestUse.nullable().default(null),
  /** Null for any other kind. */
  deposit: StoredDepositFacts.nullable(),
  /** The client waits longer for another person, and says whom it waits for. */
  waitsForOthers: z.boolean().default(false),
  /** Epoch milliseconds. A request that waits for another person lives longer: see `RequestState`. */
  expiresAtMs: z.number(),
})

export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** What a person says for a request that others decide: that it is of their own terminal, or the first of two
 * approvals. It gives nothing. Plain JSON. */
export const Support = z.object({
  id: z.string(),
  userId: z.string(),
  username: z.string(),
  tenantId: z.string(),
  bundleId: z.string(),
  bundleName: z.string(),
  /** Delivered names. */
  keys: z.array(z.string()),
  /** ISO timestamp. */
  at: z.string(),
  /** How it returned to the terminal; null: it is on its way, or need not return. */
  returned: z.enum(RELEASES).nullable(),
  /** The person's touch, where the rules ask for one. */
  touches: z.array(ReceiptTouch).optional(),
})

export type Support = z.infer<typeof Support>

/** Says that the request is of this person's own terminal. It counts once it has returned. Plain JSON. */
export const Vouch = Support.extend({
  /** Whom the rules let decide instead, and how many they are. */
  deciders: z.object({ who: z.enum(['owner', 'named']), count: z.int() }),
  /** The person vouched from no address of this network before. */
  isNewNetwork: z.boolean(),
})

export type Vouch = z.infer<typeof Vouch>

/** A secret whose holder releases the request. */
const Hold = z.object({
  by: z.enum(RELEASES),
  /** Of the secret. */
  hash: z.string(),
  /** Epoch milliseconds. */
  untilMs: z.number(),
})

export type Hold = z.infer<typeof Hold>

/** What waits for its return to the terminal. */
const Held = Hold.extend({
  /** The vouch or the first approval of the request; null: its approval. */
  support: z.enum(['vouch', 'first']).nullable(),
  /** Wrong codes since the last fresh one. */
  wrongCodes: z.number(),
  freshCodes: z.number(),
  /** The terminal has the secret and asks its person. */
  isKept: z.boolean(),
})

/** The approval that decides a request. */
const StoredApproval = z.object({
  /** Null for a payload that was stored without a sign-in. */
  approved: Approved.nullable(),
  /** How it returned to the terminal. */
  returned: z.enum(RELEASES).nullable(),
  /** What a deposit stored. */
  applied: AppliedDeposit.nullable(),
})

export type StoredApproval = z.infer<typeof StoredApproval>

const Always = z.object({
  /** Wrong check codes. */
  wrongCodes: z.number(),
  /** Epoch milliseconds. */
  expiresAtMs: z.number(),
  vouch: Vouch.nullable(),
  first: Support.nullable(),
  /** When the command stopped and left it, in epoch milliseconds; absent: it did not. */
  leftAtMs: z.number().optional(),
})

/** How a request can end before its lifetime does; its marker stays until then. `later`: its next run is approved. */
const ENDS = ['denied', 'withdrawn', 'later'] as const

export type EndedAs = (typeof ENDS)[number]

/** What changes about a request; request.ts has the table of its states. Plain JSON; read back through this schema. */
export const RequestState = z.discriminatedUnion('status', [
  Always.extend({ status: z.literal('open') }),
  Always.extend({
    status: z.literal('held'),
    held: Held,
    /** Null while a vouch or a first approval is held. */
    approval: StoredApproval.nullable(),
  }),
  Always.extend({
    status: z.literal('given'),
    approval: StoredApproval,
    /** Who collects it; null: no client does. */
    claimId: z.string().nullable(),
  }),
  Always.extend({
    status: z.literal('ended'),
    as: z.enum(ENDS),
    /** Why no one could approve it, according to the person who denied it. */
    why: DenialReason.nullable(),
  }),
])

export type RequestState = z.infer<typeof RequestState>

type OfRequest = { request: ApprovalRequest }

export type StoredRequest = RequestState & OfRequest

/** A request that is neither denied nor withdrawn. */
export type OpenRequest = Exclude<RequestState, { status: 'ended' }> & OfRequest

/** A request that waits for a decision, or for another person. */
export type UndecidedRequest = Extract<RequestState, { status: 'open' }> & OfRequest

/** The AI agent that runs the client, as the client claims; null: none. */
export function agentOf({ requesterMeta }: ApprovalRequest): string | null {
  return requesterMeta['agent'] || null
}

/** A new request, which waits for its approval. */
export function newRequestState(request: ApprovalRequest): UndecidedRequest {
  const { expiresAtMs } = request
  return { request, status: 'open', wrongCodes: 0, expiresAtMs, vouch: null, first: null }
}

/** The approval of a request, given or on its way to the terminal. */
export function approvalOf(stored: RequestState): StoredApproval | null {
  return 'approval' in stored ? stored.approval : null
}

/** The vouch or first approval that waits for its return. */
export function heldSupport(stored: RequestState): Support | Vouch | null {
  if (stored.status !== 'held' || stored.held.support === null) return null
  return stored[stored.held.support]
}

/** Nobody supports it, and its client did not leave it. */
export function isFree({ first, vouch, leftAtMs }: RequestState): boolean {
  return first === null && vouch === null && leftAtMs === undefined
}

/** Once somebody vouched, only that person and people of their workspace decide. */
export function isOutside(
  { vouch }: Pick<RequestState, 'vouch'>,
  { userId, tenantId }: { userId: string; tenantId: string },
): boolean {
  return vouch?.returned != null && vouch.tenantId !== tenantId && vouch.userId !== userId
}
