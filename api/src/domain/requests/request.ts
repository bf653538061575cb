import { type Assurance, isIdText, type RequestContext } from '@keyferry/contract'
import { verifierMatches } from '@keyferry/crypto/poll-challenge'
import { userCode } from '@keyferry/crypto/user-code'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Missing, RequestStep, RequestStore } from './request-store.ts'
import { DepositBox } from './stored-deposit.ts'
import {
  type ApprovalRequest,
  isOutside,
  type OpenRequest,
  type StoredRequest,
  type UndecidedRequest,
} from './stored-request.ts'

/*
 * An approval request: a client asks for values, a person approves or denies, and the client collects the values once.
 *
 * | state      | who may do what                                         | next state |
 * | ---------- | ------------------------------------------------------- | ---------- |
 * | (none)     | anyone: create                                          | open       |
 * | open       | a member of a tenant: approve                           | given      |
 * | open       | the same, with a return to the terminal                 | held       |
 * | open       | the first of two people: approve                        | open, held |
 * | open       | a member who may not approve: vouch                     | held       |
 * | held       | the client that asked: release an approval              | given      |
 * | held       | the same: release a vouch or a first approval           | open       |
 * | held       | the same: send a third wrong code                       | ended      |
 * | held       | the same: release a deposit that cannot be stored       | open       |
 * | open, held | a member of a tenant: deny                              | ended      |
 * | open       | a member of a tenant: type a fifth wrong code           | ended      |
 * | given      | the client that asked: wait (claims the values)         | given      |
 * | given      | the server: the answer was delivered                    | removed    |
 * | given      | the server: the connection broke before that            | given      |
 * | open, held, given | the client that asked: withdraw                  | ended      |
 * | open, held | the same, stopped: leave (if its terminal is known)     | open       |
 * | open, held | a member of a tenant: approve the next run              | ended      |
 * | held, given | the server: the approver left or was removed           | removed    |
 * | open, held | the same, of the first of two people                    | open       |
 * | open, held | the same, of who vouched for it                         | ended      |
 * | any        | the server: the request expires                         | removed    |
 *
 * request-steps.ts has a function for each row. Of any number of callers at once, one wins; the store makes each change
 * atomically, and what depends on it in the same transaction. A request that ended keeps a marker until its lifetime
 * would have ended, so that callers learn why it ended. The id of a request that expired is kept for 15 minutes more,
 * so that a late caller learns that too. Everything else that is not there answers "not found": unknown and delivered
 * requests get the same answer. See new-request.ts for how a request begins, decision.ts for what the approver does,
 * release.ts for how an approval returns to the terminal, request-wait.ts for how the values are delivered only once,
 * request-end.ts for denials and withdrawals, and expiry.ts for requests whose time is over. deposit-approval.ts says
 * what differs for a deposit, whose values come from the client, and names-approval.ts for a request for names, which
 * gets no values. later-approval.ts says what becomes of a request whose command stopped, and vouch.ts how a person
 * vouches for a request that others approve.
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
  const open = await findOpen(parts, requestId, 'stranger')
  const context = contextOf(parts, open)
  return open.request.deposit ? { ...context, deposit: await shownDeposit(parts, requestId) } : context
}

/** What the approval page shows about an open request, without the entries of a deposit. */
function contextOf(
  { assurance }: { assurance: Assurance },
  stored: OpenRequest,
): Omit<z.output<typeof RequestContext>, 'viewer_ip' | 'same_network'> {
  const { request, status, first, vouch, expiresAtMs, leftAtMs } = stored
  const grade = gradeOf(request, assurance)
  const held = 'held' in stored ? stored.held : null
  return {
    cli_pubkey: request.publicKey,
    suggested_bundle_id: request.suggestedBundle,
    workspace: request.suggestedWorkspace,
    template_keys: request.templateKeys,
    requester_meta: request.requesterMeta,
    status: SHOWN[status],
    user_code: userCodeOf(request),
    expires_at: new Date(expiresAtMs).toISOString(),
    ...(leftAtMs === undefined ? {} : { left_at: new Date(leftAtMs).toISOString() }),
    assurance: grade,
    release: request.release,
    held: held && {
      by: held.by,
      until: new Date(held.untilMs).toISOString(),
      ...(held.isKept ? { kept: true as const } : {}),
    },
    awaits_second: status === 'open' && first !== null,
    vouch: vouch && (vouch.returned === null ? 'held' : 'returned'),
    argv: request.argv,
    is_argv_masked: request.argvMasked !== null,
    cwd: request.cwd,
    ...(request.use?.repository === undefined ? {} : { repository: request.use.repository }),
    flags: request.use?.flags ?? null,
    kind: request.kind,
    deposit: null,
  }
}

// Whether a client collects an approved request is not the approver's concern.
const SHOWN = { open: 'pending', held: 'held', given: 'ready' } as const

// The box goes when the deposit is stored; then there is nothing to show.
async function shownDeposit({ requests, clock }: RequestParts, requestId: string) {
  const text = await requests.box(requestId, clock.now().getTime())
  if (text === null) return null
  const { entries, detach, own, share, replace, also } = DepositBox.parse(JSON.parse(text))
  return { entries, detach, own, share, replace, ...(also.length > 0 && { also }) }
}

/** Change a request now.
 * @throws DomainError not_found · request_expired · what the step throws */
export function changeRequest<Answer>(
  { requests, clock }: { requests: Pick<RequestStore, 'change'>; clock: ClockAndIds },
  requestId: string,
  step: RequestStep<Answer>,
): Promise<Answer> {
  return requests.change(requestId, clock.now().getTime(), step)
}

/** Other requests of the same terminal that nobody has approved yet, the newest first. */
export async function openOfTerminal(
  { requests, clock }: RequestParts,
  { id, deviceKey }: ApprovalRequest,
): Promise<UndecidedRequest[]> {
  const all = deviceKey === null ? [] : await requests.ofDevice(deviceKey, clock.now().getTime())
  return all.filter((stored) => stored.status === 'open').filter(({ request }) => request.id !== id)
}

/** The caller's own request. A request made without a challenge can be claimed by anyone who has its id. A wrong
 * verifier gets the answer of an unknown id, before the state of the request is looked at.
 * @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function findOwn(
  parts: RequestParts,
  { requestId, verifier = '' }: Claimant,
): Promise<OpenRequest> {
  const stored = await findLive(parts, requestId, 'stranger')
  const { pollChallenge } = stored.request
  if (pollChallenge !== null && !verifierMatches(pollChallenge, verifier)) throw requestNotFound()
  return openOf(stored)
}

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired */
export async function findOpen(
  parts: RequestParts,
  requestId: string,
  by?: 'stranger',
): Promise<OpenRequest> {
  return openOf(await findLive(parts, requestId, by))
}

function openOf(stored: StoredRequest): OpenRequest {
  requireOpen(stored)
  return stored
}

/** Refuses a request that ended. Only this function and `goneError` distinguish the ends.
 * @throws DomainError request_denied · request_withdrawn · request_later */
export function requireOpen(stored: StoredRequest): asserts stored is OpenRequest {
  if (stored.status !== 'ended') return
  const details = stored.why === null ? {} : { details: { reason: stored.why } }
  throw new DomainError(`request_${stored.as}`, NOT_FOUND, details)
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

const NOT_FOUND = 'request not found or expired'

/** Requires that the caller may decide this request at all. A deposit that names its workspace by id is unknown in any
 * other, so that no one there can hold it.
 * @throws DomainError not_found · forbidden: only people of the workspace of a vouch decide */
export function requireInside(stored: StoredRequest, caller: { userId: string; tenantId: string }): void {
  const { deposit, suggestedWorkspace: text } = stored.request
  const isElsewhere = text !== null && isIdText(text) && text.toLowerCase() !== caller.tenantId
  if (deposit !== null && isElsewhere) throw requestNotFound()
  if (!isOutside(stored, caller)) return
  throw new DomainError('forbidden', 'Forbidden: people of another workspace decide this request')
}

export const notHeld = () =>
  new DomainError('conflict', 'Request does not wait for its return to the terminal')

export const alreadyApproved = () => new DomainError('conflict', 'Request already approved')

export const requestNotFound = () => new DomainError('not_found', NOT_FOUND)

/** For a client that asks again by itself. */
export const requestLost = () => new DomainError('not_found', NOT_FOUND, { details: { lost: true } })

/** A request whose lifetime has not ended, in any state.
 * @throws DomainError not_found · request_expired */
async function findLive(parts: RequestParts, requestId: string, by?: 'stranger'): Promise<StoredRequest> {
  if (!REQUEST_ID.test(requestId)) throw requestNotFound()
  const stored = await parts.requests.read(requestId, parts.clock.now().getTime(), by)
  if (typeof stored === 'string') throw goneError(stored)
  return stored
}
