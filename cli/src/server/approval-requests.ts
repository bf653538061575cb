import type { ASKS_AGAIN, ReleaseWay } from '@keyferry/contract'
import { shortApprovalPath } from '@keyferry/contract/approval-link'
import type { DeviceProof } from '@keyferry/crypto/device-key'
import { refusedAnswer } from '../base/cli-error.ts'
import type { Exchange, ExchangeAnswer } from '../base/exchange.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'
import {
  matching,
  number,
  object,
  optional,
  or,
  parseObject,
  read,
  string,
  time,
  truth,
  where,
} from '../base/shape.ts'
import { type CalledEndpoint, type ClientCallOptions, callEndpoint } from './endpoint-call.ts'
import { ended, requireReturnable, unknownKind } from './request-end.ts'
import { errorBody, isPassing, refusal } from './server-failure.ts'
import { type ApprovalNeeds, readLater, readWaitAnswer, type WaitAnswer } from './wait-answer.ts'

const LONGEST_WAIT_MS = 30_000
const WITHDRAW_TIMEOUT_MS = 1_000
const RELEASE_TIMEOUT_MS = 10_000
// The base64 of a sealed payload eight times as large as a server's default bound.
const MAX_WAIT_BYTES = 12 * 1024 * 1024
const REQUEST_ID = /^[A-Za-z0-9_-]{16,128}$/
const INTERVAL_SECONDS = { least: 1, most: 60 }
const LIFETIME_SECONDS = { least: 1, most: 86_400 }

export type RequestBody = {
  /** Absent: values are requested. */
  readonly kind?: 'deposit' | 'names'
  readonly client_pubkey: string
  readonly bundle_id?: string
  /** Id or name. */
  readonly workspace?: string
  readonly template_keys?: readonly string[]
  readonly format: string
  readonly poll_challenge: string
  /** How the approval can return to this client. */
  readonly release: readonly ReleaseWay[]
  /** The whole command; absent if it is too long to be shown. */
  readonly argv?: readonly string[]
  readonly argv_masked?: string
  readonly cwd?: string
  /** By the key of this terminal, so that the approval can be remembered. */
  readonly device?: DeviceProof
  /** What is signed with `device` besides the command. */
  readonly use?: {
    readonly redaction: string
    readonly flags: readonly string[]
    readonly repository?: string
  }
  /** With `device`: another client of this terminal may bring the approval here. */
  /** It may live longer, once it waits for another person. */
  readonly waits_for_others?: true
  /** It asks again if a crash of the server's database loses the request. */
  readonly may_ask_again?: true
  readonly meta: Readonly<Record<string, string>>
  readonly short_uri?: true
  /** The sealed values of a deposit. */
  readonly deposit?: object
}

/** `kind` is set for a request for names only. `isBound`: every approval returns to this client. `userCode`: as the
 * server computed it; null if the server sends none. */
export type CreatedRequest = Omit<
  PendingRequest,
  'server' | 'keyPair' | 'verifier' | 'deadlineMs' | 'userCode'
> & { readonly kind: unknown; readonly userCode: string | null; readonly isBound: boolean }

/** The server does not take the signature of this terminal. */
export class RefusedDevice extends Error {
  override readonly name = 'RefusedDevice'
}

/** Create a request.
 * @throws CliError refused · RefusedDevice · NoAnswer */
export async function createRequest(
  exchange: Exchange,
  server: string,
  body: RequestBody,
): Promise<CreatedRequest> {
  const answer = await callEndpoint({ exchange, server }, 'createRequest', { body })
  if (answer.status === 400 && errorBody(answer).details['field'] === 'device') throw new RefusedDevice()
  if (answer.status === 400 && errorBody(answer).details['field'] === 'kind') throw unknownKind(server)
  if (answer.status !== 201) throw refusal(answer, server)
  const created = parseObject(answer.body) ?? {}
  if (created['remembered'] === undefined) requireReturnable(created, body.release, server)
  return readCreated(created, server)
}

const invalid = (what: string) => () => refusedAnswer(`the server sent an invalid ${what}`)

function readCreated(body: Record<string, unknown>, server: string): CreatedRequest {
  const id = read(body['id'], matching(REQUEST_ID), invalid('request id'))
  if (body['verification_uri_complete'] !== `/approve/${id}`) {
    throw refusedAnswer(`the server sent another approval page than /approve/${id}`)
  }
  const approvalUrl = `${server}/approve/${id}`
  const short = shortApprovalPath(id)
  const hasShort = short !== null && body['verification_uri_short'] === short
  return {
    id,
    kind: body['kind'],
    approvalUrl,
    shownUrl: hasShort ? server + short : approvalUrl,
    intervalMs: milliseconds(body, 'interval', INTERVAL_SECONDS),
    lifetimeMs: milliseconds(body, 'expires_in', LIFETIME_SECONDS),
    userCode: read(body['user_code'], optional(string, null), invalid('check code')),
    isBound: body['assurance'] === 'bound' || body['assurance'] === 'local',
    remembered: readRemembered(body['remembered']),
    whyNotRemembered: readWhyNotRemembered(body['asks_again'], body['differs']),
    mayLeave: body['may_leave'] === true,
    epoch: read(body['epoch'], optional(string, null), invalid('epoch')),
  }
}

function milliseconds(
  body: Record<string, unknown>,
  field: string,
  { least, most }: { least: number; most: number },
): number {
  const seconds = read(body[field], number, invalid(field))
  if (!Number.isFinite(seconds) || seconds < 0) throw invalid(field)()
  return Math.min(Math.max(seconds, least), most) * 1000
}

type OwnRequest = Pick<PendingRequest, 'server' | 'id' | 'verifier'>
export type WaitCall = OwnRequest & Pick<PendingRequest, 'intervalMs' | 'epoch'>

/** Poll once; the server may wait 30 s with its answer, unless the request needs something else than `known`.
 * @throws CliError denied · expired · refused · NoAnswer */
export async function waitOnce(
  exchange: Exchange,
  call: WaitCall,
  known: ApprovalNeeds,
): Promise<WaitAnswer> {
  const answer = await callAsOwner(exchange, 'waitForApproval', call, {
    query: {
      interval: Math.round(call.intervalMs / 1000),
      known,
      ...(call.epoch === null ? {} : { epoch: call.epoch }),
    },
    timeoutMs: LONGEST_WAIT_MS + 15_000,
    maxBodyBytes: MAX_WAIT_BYTES,
  })
  if (answer.status === 200) return readWaitAnswer(answer)
  if (answer.status === 404) throw ended(answer)
  if (isPassing(answer)) return readLater(answer)
  throw refusal(answer, call.server)
}

/** Withdraw a request, so that it cannot be approved; or leave it, if the server still allows that.
 * @returns null if it had already ended · @throws CliError refused · NoAnswer */
export async function withdrawRequest(
  exchange: Exchange,
  request: OwnRequest,
  { leaves = false }: { leaves?: boolean } = {},
): Promise<'withdrawn' | 'left' | null> {
  const options = { timeoutMs: WITHDRAW_TIMEOUT_MS, ...(leaves ? { query: { leave: '1' } } : {}) }
  const answer = await callAsOwner(exchange, 'withdrawRequest', request, options)
  if (answer.status === 200) return parseObject(answer.body)?.['left'] === true ? 'left' : 'withdrawn'
  if (answer.status === 404 || answer.status === 409) return null
  throw refusal(answer, request.server)
}

/** Return an approval to the server, with the proof that this client made the request.
 * @param keep whether the server only keeps the secret for two minutes, because the person is asked first
 * @returns why it was refused, in words; null: the approval is released · @throws CliError refused · NoAnswer */
export async function releaseRequest(
  exchange: Exchange,
  request: OwnRequest,
  secret: string,
  { keep = false }: { keep?: boolean } = {},
): Promise<string | null> {
  const answer = await callAsOwner(exchange, 'releaseRequest', request, {
    body: keep ? { secret, keep } : { secret },
    timeoutMs: RELEASE_TIMEOUT_MS,
  })
  if (answer.status === 200) return null
  const { code, details } = errorBody(answer)
  if (code === 'release_wrong')
    return `that is not the code of the page${triesLeft(details['attempts_left'])}`
  if (code === 'release_expired') return 'this code is too old; get a new one on the page'
  if (code === 'plan_changed') return PLAN_CHANGED
  if (answer.status === 404 || answer.status === 409) return NO_CODE_NEEDED
  if (isPassing(answer)) return busyText(answer.retryAfterMs)
  throw refusal(answer, request.server)
}

/** The request is open again. */
export const PLAN_CHANGED = 'the library changed, so nothing was stored; approve the new plan on the page'

/** The request is no longer held. */
export const NO_CODE_NEEDED = 'this request needs no code any more'

/** Why a code was not taken: too many calls, or the server cannot be reached now. */
export function busyText(waitMs: number | null): string {
  return `the server is busy; try again in ${Math.ceil((waitMs ?? 1_000) / 1000)} s`
}

function triesLeft(left: unknown): string {
  if (typeof left !== 'number') return ''
  return left === 1 ? '; one try left' : `; ${left} tries left`
}

// The verifier proves that this client made the request.
async function callAsOwner(
  exchange: Exchange,
  name: CalledEndpoint,
  { server, id, verifier }: OwnRequest,
  options: ClientCallOptions,
): Promise<ExchangeAnswer> {
  return await callEndpoint({ exchange, server }, name, {
    params: { request_id: id },
    headers: { 'x-poll-verifier': verifier },
    ...options,
  })
}

// What differs in the request itself, the server says in words.
type WhyNotRemembered = Exclude<(typeof ASKS_AGAIN)[number], `other_${string}`> | 'unknown'

const REASONS: Readonly<Record<WhyNotRemembered, string>> = {
  expired: 'the remembered approval has expired',
  used_up: 'the remembered approval has no uses left',
  revoked: 'the remembered approval was revoked',
  forgotten: 'the remembered approval was forgotten',
  person_removed: 'the person who approved is no longer a member',
  role_changed: 'the role of the person who approved has changed',
  policy_changed: 'the rules for approvals have changed',
  signed_out: 'the person who approved signed out everywhere, or changed how they sign in',
  bundle_changed: 'the variables of the bundle have changed',
  unknown: 'the remembered approval is not valid for this request',
}

const incomplete = () => refusedAnswer('the server sent a remembered approval without end and uses')
const REMEMBERED = object({ expiresAt: time, usesLeft: number, task: optional(truth, false) })

/** @throws CliError refused: malformed */
export function readRemembered(value: unknown): PendingRequest['remembered'] {
  const found = read(value, optional(REMEMBERED, null), incomplete)
  if (found === null) return null
  return { expiresAtMs: found.expiresAt, usesLeft: found.usesLeft, isTask: found.task }
}

/** Why a person is asked although an approval is remembered, in words; null: none is.
 * @param differs what the server says of this request */
export function readWhyNotRemembered(value: unknown, differs: unknown): string | null {
  if (value === undefined) return null
  return typeof differs === 'string' ? printable(differs) : REASONS[reason(value)]
}

const isReason = (value: unknown): value is WhyNotRemembered =>
  typeof value === 'string' && Object.hasOwn(REASONS, value)
const reason = or(where(isReason), 'unknown' as const)
