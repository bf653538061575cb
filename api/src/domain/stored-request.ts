import {
  ASSURANCES,
  FORMATS,
  RELEASES,
  REQUEST_KINDS,
  Receipt,
  type ReleaseWay,
  type WhyNotCode,
} from '@keyferry/contract'
import { z } from 'zod'
import { GrantDraft } from './grant-draft.ts'
import type { DepositApproval } from './stored-deposit.ts'

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

/** A request as it is stored, without its state. Plain JSON; read back through this schema. */
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
  /** Null for any other kind. */
  deposit: StoredDepositFacts.nullable(),
  /** The client takes its approval back from another client of its terminal too. */
  together: z.boolean(),
  /** Epoch milliseconds. */
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

/** An approval that waits for its return to the terminal. `approverId`: who may have a fresh code. */
export type Held = { by: ReleaseWay; untilMs: number; approverId: string }

/** `ready` until the ciphertext is gone for good, claimed or not. `returned`: how the last approval of the request
 * returned through the terminal. `approval`: the sealed delivery, until its record has ended. `names`: the same for a list of names.
 * `deposit`: who approved a deposit, and how. `applyingUntilMs`: a node stores its values and must finish before this time.
 * `whyDenied`: why no one could approve it, according to the person who denied it. */
export type StoredRequest = {
  request: ApprovalRequest
  status: 'pending' | 'held' | 'ready' | Ended
  first: FirstApproval | null
  held: Held | null
  returned: ReleaseWay | null
  approval: Approval | null
  names: NamesApproval | null
  deposit: DepositApproval | null
  applyingUntilMs: number | null
  whyDenied: WhyNotCode | null
}

/** How a request can end before its lifetime does; its marker stays until then. */
export const ENDED_STATES = ['denied', 'withdrawn'] as const

export type Ended = (typeof ENDED_STATES)[number]

const Named = z.object({ id: z.string(), name: z.string() })

/** Who approved, and what from; plain JSON. */
export const Approval = z.object({
  approverId: z.string(),
  tenant: Named,
  bundle: Named,
  /** Required keys of the bundle that the approver left out. */
  missingRequired: z.array(z.string()),
  deliveryId: z.string(),
  /** The version of each delivered value that has versions, by its delivered name. */
  versions: z.array(z.object({ name: z.string(), version: z.number() })),
  /** Names of delivered values that had expired. */
  expired: z.array(z.string()),
  /** The signed receipt. */
  receipt: Receipt,
  /** What the approver lets the terminal repeat, once the approval returned over loopback. */
  remember: GrantDraft.nullable(),
})

export type Approval = z.infer<typeof Approval>

/** Who let a terminal list names, and of what; plain JSON. */
export const NamesApproval = z.object({
  approverId: z.string(),
  tenantId: z.string(),
  /** What the event tells of. */
  target: Named.extend({ kind: z.enum(['bundle', 'tenant']) }),
  /** What the approval took. */
  assurance: z.enum(ASSURANCES),
})

export type NamesApproval = z.infer<typeof NamesApproval>

/** What an approval adds. Both `approval` and `names` are null for a ciphertext stored without a sign-in. */
export type Sealed = { ciphertextBase64: string } & Sealing

/** At most one is there. */
type Sealing = { approval: Approval | null; names?: NamesApproval | null | undefined }

const StoredSealing = z.union([Approval, NamesApproval])

/** What a store keeps of an approval, as JSON; null: nothing. */
export function sealingText({ approval, names = null }: Sealing): string | null {
  const kept = approval ?? names
  return kept && JSON.stringify(kept)
}

/** Reads what `sealingText` wrote. */
export function sealingIn(text: string | null): { approval: Approval | null; names: NamesApproval | null } {
  const kept = text === null || text === '' ? null : StoredSealing.parse(JSON.parse(text))
  if (kept === null) return { approval: null, names: null }
  return 'deliveryId' in kept ? { approval: kept, names: null } : { approval: null, names: kept }
}

/** A secret whose holder releases the request. `hash`: of the secret; `untilMs`: epoch milliseconds. */
export type Hold = { by: ReleaseWay; hash: string; untilMs: number }
