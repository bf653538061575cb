import { type Assurance, isIdText, type RequestContext, type WhyNotCode } from '@keyferry/contract'
import { verifierMatches } from '@keyferry/crypto/poll-challenge'
import { userCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Missing, RequestStore, Step } from './request-store.ts'
import { DepositBox } from './stored-deposit.ts'
import {
  type ApprovalRequest,
  ENDED_STATES,
  type Ended,
  isOutside,
  type StoredRequest,
} from './stored-request.ts'

/*
 * An approval request: a client asks for values, a person approves or denies, and the client collects the values once.
 *
 * | state     | who may do what                                  | next state |
 * | --------- | ------------------------------------------------ | ---------- |
 * | (none)    | anyone: create                                   | pending    |
 * | pending   | a member of a tenant: approve                    | ready      |
 * | pending   | the same, with a return to the terminal          | held       |
 * | pending   | the first of two people: approve                 | pending    |
 * | held      | the client that asked: release                   | ready      |
 * | held      | the same, after the first of two approvals       | pending    |
 * | pending   | a member who may not approve: vouch              | held       |
 * | held      | the client that asked: release that vouch        | pending    |
 * | held      | the client that asked: send a third wrong code   | denied     |
 * | pending, held | a member of a tenant: deny                   | denied     |
 * | pending   | a member of a tenant: type a fifth wrong code    | denied     |
 * | pending, held | a deposit, approved or released: the server stores it | applying |
 * | applying  | the server: the values are stored                | ready      |
 * | applying  | the server: they are not, the plan changed       | pending    |
 * | ready     | the client that asked: wait (claims the values)  | claimed    |
 * | claimed   | the server: the answer was delivered             | removed    |
 * | claimed   | the server: the connection broke before that     | ready      |
 * | pending, held, ready, claimed | the client that asked: withdraw | withdrawn |
 * | held, ready | the server: the approver left or was removed   | removed    |
 * | pending, held | the same, of who vouched for it              | denied     |
 * | held, applying | the same, while they approved a deposit     | removed    |
 * | any       | the server: the request expires                  | removed    |
 *
 * request-steps.ts has a function for each row. Of any number of callers at once, one wins; the store makes each change
 * atomically. A denied or withdrawn request keeps a marker until its lifetime would have ended, so that callers learn
 * why it ended. The id of a request that expired is kept for 15 minutes more, so that a late caller learns that too.
 * Everything else that is not there answers "not found": unknown and delivered requests get the same answer. See
 * new-request.ts for how a request begins, decision.ts for what the approver does, release.ts for how an approval
 * returns to the terminal, request-wait.ts for how the values are delivered only once, and request-end.ts for denials
 * and withdrawals. deposit-approval.ts says what differs for a deposit, whose values come from the client, and
 * names-approval.ts for a request for names, which gets no values. vouch.ts says how a person vouches for a request
 * that others approve.
 */

const REQUEST_ID = /^[0-9a-f]{32}$/

export type RequestParts = { requests: RequestStore; clock: ClockAndIds }

/** A request and what the client sent to prove that it made the request. */
export type Claimant = { requestId: string; verifier: string | undefined }

/** What the approval page shows about the request (interface: "Get request context").
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function requestContext(
  parts: RequestParts & { assurance: Assurance },
  requestId: string,
): Promise<Omit<z.output<typeof RequestContext>, 'viewer_ip' | 'same_network'>> {
  const open = await findOpen(parts, requestId)
  const context = contextOf(parts, open)
  return open.request.deposit ? { ...context, deposit: await shownDeposit(parts, requestId) } : context
}

/** What the approval page shows about an open request, without the entries of a deposit. */
export function contextOf(
  { assurance }: { assurance: Assurance },
  { request, status, held, first, vouch, expiresAtMs }: OpenRequest,
): Omit<z.output<typeof RequestContext>, 'viewer_ip' | 'same_network'> {
  const grade = gradeOf(request, assurance)
  return {
    cli_pubkey: request.publicKey,
    suggested_bundle_id: request.suggestedBundle,
    workspace: request.suggestedWorkspace,
    template_keys: request.templateKeys,
    requester_meta: request.requesterMeta,
    status: statusShown(status),
    user_code: userCodeOf(request),
    user_code_required: grade === 'typed',
    expires_at: new Date(expiresAtMs).toISOString(),
    assurance: grade,
    release: request.release,
    held: held && {
      by: held.by,
      until: new Date(held.untilMs).toISOString(),
      ...(held.isKept ? { kept: true as const } : {}),
    },
    awaits_second: status === 'pending' && first !== null,
    vouch: vouch && (vouch.returned === null ? 'held' : 'returned'),
    argv: request.argv,
    is_argv_masked: request.argvMasked !== null,
    cwd: request.cwd,
    flags: request.use?.flags ?? null,
    kind: request.kind,
    deposit: null,
  }
}

// What a node or a client does with an approved request is not the approver's concern.
function statusShown(status: Open): 'pending' | 'held' | 'ready' {
  return status === 'pending' || status === 'held' ? status : 'ready'
}

// The box goes when the deposit is stored; then there is nothing to show.
async function shownDeposit({ requests, clock }: RequestParts, requestId: string) {
  const text = await requests.box(requestId, clock.now().getTime())
  if (text === null) return null
  const { entries, detach, own, share, replace } = DepositBox.parse(JSON.parse(text))
  return { entries, detach, own, share, replace }
}

type Open = Exclude<StoredRequest['status'], Ended>

/** A request that is neither denied nor withdrawn. */
export type OpenRequest = StoredRequest & { status: Open }

/** Change a request now. */
export function changeRequest<Answer>(
  { requests, clock }: { requests: Pick<RequestStore, 'change'>; clock: ClockAndIds },
  requestId: string,
  step: Step<Answer>,
): Promise<Answer | Missing> {
  return requests.change(requestId, clock.now().getTime(), step)
}

/** The caller's own request. A request made without a challenge can be claimed by anyone who has its id. A wrong
 * verifier gets the answer of an unknown id, before the state of the request is looked at.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function findOwn(
  parts: RequestParts,
  { requestId, verifier = '' }: Claimant,
): Promise<OpenRequest> {
  const stored = await findLive(parts, requestId)
  const { pollChallenge } = stored.request
  if (pollChallenge !== null && !verifierMatches(pollChallenge, verifier)) throw requestNotFound()
  return openOf(stored)
}

/** A request that is neither denied nor withdrawn.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function findOpen(parts: RequestParts, requestId: string): Promise<OpenRequest> {
  return openOf(await findLive(parts, requestId))
}

function openOf({ status, ...stored }: StoredRequest): OpenRequest {
  requireOpen(status, stored.whyDenied)
  return { ...stored, status }
}

/** Refuses a request that ended or is gone. Only this function and `goneError` distinguish the ends.
 * @throws DomainError not_found · request_expired · request_denied · request_withdrawn */
export function requireOpen<Status extends string>(
  status: Status,
  whyDenied: WhyNotCode | null = null,
): asserts status is Exclude<Status, Ended | Missing> {
  const missing = MISSING.find((state) => state === status)
  if (missing !== undefined) throw goneError(missing)
  const ended = ENDED_STATES.find((state) => state === status)
  if (ended === undefined) return
  const details = whyDenied === null ? {} : { details: { reason: whyDenied } }
  throw new DomainError(`request_${ended}`, NOT_FOUND, details)
}

/** The error for a request that is not there: it expired lately, or it was delivered or never existed. */
export function goneError(missing: Missing): DomainError {
  return missing === 'expired' ? new DomainError('request_expired', NOT_FOUND) : requestNotFound()
}

/** The least that an approval of this request takes. A deposit returns to its terminal whatever the server demands: who
 * has only the link cannot store the values in a workspace of their own. */
export function gradeOf({ deposit }: ApprovalRequest, server: Assurance): Assurance {
  return deposit === null || server === 'local' ? server : 'bound'
}

/** The check code that the client shows and the approver compares. */
export function userCodeOf({ id, publicKey, deposit }: ApprovalRequest): string {
  return deposit?.userCode ?? userCode(id, publicKeyOf(publicKey))
}

export function publicKeyOf(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64')
}

const MISSING = ['expired', 'unknown'] as const satisfies readonly Missing[]

const NOT_FOUND = 'request not found or expired'

/** Requires that the caller may decide this request at all. A deposit that names its workspace by id is unknown in any
 * other, so that no one there can hold it.
 * @throws DomainError not_found · forbidden: only people of the workspace of a vouch decide */
export function requireInside(stored: OpenRequest, caller: { userId: string; tenantId: string }): void {
  const { deposit, suggestedWorkspace: text } = stored.request
  const isElsewhere = text !== null && isIdText(text) && text.toLowerCase() !== caller.tenantId
  if (deposit !== null && isElsewhere) throw requestNotFound()
  if (!isOutside(stored, caller)) return
  throw new DomainError('forbidden', 'Forbidden: people of another workspace decide this request')
}

export const alreadyApproved = () => new DomainError('conflict', 'Request already approved')

export const requestNotFound = () => new DomainError('not_found', NOT_FOUND)

/** A request whose lifetime has not ended, in any state.
 * @throws DomainError not_found · request_expired */
async function findLive(parts: RequestParts, requestId: string): Promise<StoredRequest> {
  if (!REQUEST_ID.test(requestId)) throw requestNotFound()
  const stored = await parts.requests.read(requestId, parts.clock.now().getTime())
  if (typeof stored === 'string') throw goneError(stored)
  return stored
}
