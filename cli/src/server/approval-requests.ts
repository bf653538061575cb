import type { ReleaseWay } from '@keyferry/contract'
import { fillPath } from '@keyferry/contract/client'
import type { DeviceProof } from '@keyferry/crypto/device-key'
import { refusedAnswer } from '../ground/cli-error.ts'
import type { Exchange } from '../ground/exchange.ts'
import { parseObject } from '../ground/json-object.ts'
import { type RememberedApproval, readAsksAgain, readRemembered } from './remembered.ts'
import { ended, requireReturnable, unknownKind } from './request-end.ts'
import { errorDetail, refusal } from './server-failure.ts'
import { type Needs, readLater, readWaitAnswer, type WaitOutcome } from './wait-answer.ts'

const CREATE_TIMEOUT_MS = 20_000
const HOLD_MS = 30_000
const WITHDRAW_TIMEOUT_MS = 1_000
const MAX_CREATE_BYTES = 64 * 1024
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
  /** With `device`: another client of this terminal may bring the approval here. */
  readonly together?: true
  readonly meta: Readonly<Record<string, string>>
  /** The sealed values of a deposit. */
  readonly deposit?: object
}

export type CreatedRequest = {
  readonly id: string
  /** Set for a request for names only. */
  readonly kind: unknown
  /** The full address of the page. */
  readonly approvalUrl: string
  readonly intervalMs: number
  readonly lifetimeMs: number
  /** As the server computed it; null if the server sends none. */
  readonly userCode: string | null
  /** Whether the approver may have to type the check code. */
  readonly isCodeTyped: boolean
  /** The approval that this request repeats: it is ready at once; null: a person is asked. */
  readonly remembered: RememberedApproval | null
  /** Why a remembered approval of this terminal does not count here, in words; null: there is none. */
  readonly asksAgain: string | null
  /** The page of another command of the same start offers to approve this one too. */
  readonly joins: boolean
}

/** The server does not take the signature of this terminal. */
export class RefusedDevice extends Error {
  override readonly name = 'RefusedDevice'
}

/** Create a request.
 * @throws CliError refused · RefusedDevice · NetworkError */
export async function createRequest(
  exchange: Exchange,
  server: string,
  body: RequestBody,
): Promise<CreatedRequest> {
  const answer = await exchange({
    method: 'POST',
    url: `${server}/api/v1/requests`,
    body: JSON.stringify(body),
    timeoutMs: CREATE_TIMEOUT_MS,
    maxBodyBytes: MAX_CREATE_BYTES,
  })
  if (answer.status === 400 && errorDetail(answer, 'field') === 'device') throw new RefusedDevice()
  if (answer.status === 400 && errorDetail(answer, 'field') === 'kind') throw unknownKind(server)
  if (answer.status !== 201) throw refusal(answer, server)
  const created = parseObject(answer.body) ?? {}
  if (created['remembered'] === undefined) requireReturnable(created, body.release, server)
  return readCreated(created, server)
}

function readCreated(body: Record<string, unknown>, server: string): CreatedRequest {
  const id = body['id']
  if (typeof id !== 'string' || !REQUEST_ID.test(id))
    throw refusedAnswer('the server sent an invalid request id')
  if (body['verification_uri_complete'] !== `/approve/${id}`) {
    throw refusedAnswer(`the server sent another approval page than /approve/${id}`)
  }
  return {
    id,
    kind: body['kind'],
    approvalUrl: `${server}/approve/${id}`,
    intervalMs: seconds(body['interval'], 'interval', INTERVAL_SECONDS),
    lifetimeMs: seconds(body['expires_in'], 'expires_in', LIFETIME_SECONDS),
    userCode: readUserCode(body['user_code']),
    isCodeTyped: body['assurance'] === 'typed',
    remembered: readRemembered(body['remembered']),
    asksAgain: readAsksAgain(body['asks_again']),
    joins: body['joins'] === true,
  }
}

function readUserCode(value: unknown): string | null {
  if (value === undefined) return null
  if (typeof value !== 'string') throw refusedAnswer('the server sent an invalid check code')
  return value
}

function seconds(value: unknown, field: string, { least, most }: { least: number; most: number }): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw refusedAnswer(`the server sent an invalid ${field}`)
  }
  return Math.min(Math.max(value, least), most) * 1000
}

export type WaitCall = {
  readonly server: string
  readonly id: string
  readonly verifier: string
  readonly intervalMs: number
}

/** Poll once; the server may hold the answer for 30 s, unless the request needs something else than `known`.
 * @throws CliError denied · expired · refused · NetworkError */
export async function waitOnce(exchange: Exchange, call: WaitCall, known: Needs): Promise<WaitOutcome> {
  const path = fillPath(
    '/api/v1/requests/{request_id}/wait',
    { request_id: call.id },
    { interval: Math.round(call.intervalMs / 1000), known },
  )
  const answer = await exchange({
    method: 'GET',
    url: call.server + path,
    headers: { 'x-poll-verifier': call.verifier },
    timeoutMs: HOLD_MS + 15_000,
    maxBodyBytes: MAX_WAIT_BYTES,
  })
  if (answer.status === 200) return readWaitAnswer(answer)
  if (answer.status === 404) throw ended(answer)
  if (answer.status === 429 || answer.status >= 500) return readLater(answer)
  throw refusal(answer, call.server)
}

/** Withdraw a request, so that it cannot be approved.
 * @returns false if it had already ended · @throws CliError refused · NetworkError */
export async function withdrawRequest(
  exchange: Exchange,
  { server, id, verifier }: Pick<WaitCall, 'server' | 'id' | 'verifier'>,
): Promise<boolean> {
  const answer = await exchange({
    method: 'POST',
    url: server + fillPath('/api/v1/requests/{request_id}/withdraw', { request_id: id }),
    headers: { 'x-poll-verifier': verifier },
    timeoutMs: WITHDRAW_TIMEOUT_MS,
    maxBodyBytes: MAX_CREATE_BYTES,
  })
  if (answer.status === 200) return true
  if (answer.status === 404 || answer.status === 409) return false
  throw refusal(answer, server)
}
