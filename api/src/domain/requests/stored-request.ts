import { FORMATS, RELEASES, REQUEST_KINDS, RequestUse, WhyNotCode } from '@keyferry/contract'
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
  /** The client takes its approval back from another client of its terminal too. */
  together: z.boolean(),
  /** The client waits longer for another person, and says whom it waits for. */
  waitsForOthers: z.boolean().default(false),
  /** Epoch milliseconds. A request that waits for another person lives longer: see `RequestState`. */
  expiresAtMs: z.number(),
})

export type ApprovalRequest = z.infer<typeof ApprovalRequest>

/** A first approval, where a bundle needs two. Plain JSON. */
export const FirstApproval = z.object({
  approverId: z.string(),
  username: z.string(),
  tenantId: z.string(),
  bundleId: z.string(),
  bundleName: z.string(),
  /** Delivered names. */
  keys: z.array(z.string()),
  /** ISO timestamp. */
  at: z.string(),
})

export type FirstApproval = z.infer<typeof FirstApproval>

/** Says that the request is of this person's own terminal. It is no approval. Plain JSON. */
export const Vouch = FirstApproval.extend({
  id: z.string(),
  /** How it returned to the terminal; null: it is on its way, and counts for nothing. */
  returned: z.enum(RELEASES).nullable(),
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

/** An approval or a vouch that waits for its return to the terminal. */
const Held = Hold.extend({
  /** Who may have a fresh code. */
  approverId: z.string(),
  /** Wrong codes since the last fresh one. */
  wrongCodes: z.number(),
  freshCodes: z.number(),
  /** The terminal has the secret and asks its person. */
  isKept: z.boolean().default(false),
})

const STATUSES = ['pending', 'held', 'applying', 'ready', 'claimed', 'denied', 'withdrawn'] as const

/** What changes about a request; request.ts has the table of its states. Plain JSON; read back through this schema. */
export const RequestState = z.object({
  status: z.enum(STATUSES),
  /** Wrong check codes. */
  wrongCodes: z.number(),
  /** Epoch milliseconds. */
  expiresAtMs: z.number(),
  first: FirstApproval.nullable(),
  vouch: Vouch.nullable().default(null),
  /** Null unless `held`. */
  held: Held.nullable(),
  /** How the last approval of the request returned through the terminal. */
  returned: z.enum(RELEASES).nullable(),
  /** Kept after a denial or withdrawal, so that its record can end. Null where nothing is approved, after a first
   * approval, and for a payload stored without a sign-in. */
  approved: Approved.nullable(),
  /** Who holds the claim. Null unless `claimed`. */
  claimId: z.string().nullable(),
  /** Until when a node may store the values of a deposit. Null unless `applying`. */
  applyUntilMs: z.number().nullable(),
  /** What a deposit stored. */
  applied: AppliedDeposit.nullable(),
  /** Why no one could approve it, according to the person who denied it. */
  whyDenied: WhyNotCode.nullable(),
})

export type RequestState = z.infer<typeof RequestState>

export type StoredRequest = RequestState & { request: ApprovalRequest }

/** How a request can end before its lifetime does; its marker stays until then. */
export const ENDED_STATES = ['denied', 'withdrawn'] as const

export type Ended = (typeof ENDED_STATES)[number]

/** A new request, which waits for its approval. */
export function pendingRequest(request: ApprovalRequest): StoredRequest {
  return {
    request,
    status: 'pending',
    wrongCodes: 0,
    expiresAtMs: request.expiresAtMs,
    first: null,
    vouch: null,
    held: null,
    returned: null,
    approved: null,
    claimId: null,
    applyUntilMs: null,
    applied: null,
    whyDenied: null,
  }
}

/** Whom a request that gives nothing yet rests on: who vouches, while that is on its way, or the first of two. */
export function backerOf({
  first,
  vouch,
}: Pick<RequestState, 'first' | 'vouch'>): FirstApproval | Vouch | null {
  return vouch !== null && vouch.returned === null ? vouch : first
}

/** Once somebody vouched, only that person and people of their workspace decide. */
export function isOutside(
  { vouch }: Pick<RequestState, 'vouch'>,
  { userId, tenantId }: { userId: string; tenantId: string },
): boolean {
  return vouch?.returned != null && vouch.tenantId !== tenantId && vouch.approverId !== userId
}
