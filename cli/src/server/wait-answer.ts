import { refusedAnswer } from '../ground/cli-error.ts'
import type { ExchangeAnswer } from '../ground/exchange.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import { printable } from '../ground/printable.ts'
import { errorBody } from './server-failure.ts'

export type Named = { readonly id: string; readonly name: string }

/** What the approver delivers. */
export type Delivery = {
  /** The sealed box. */
  readonly ciphertextBase64: string
  /** The bundle that the approver chose, and its workspace; null if the server does not say. */
  readonly bundle: Named | null
  readonly workspace: Named | null
  /** Keys that the bundle marks as required and that the approver left out. */
  readonly missingRequired: readonly string[]
  /** Names of delivered values that are past their expiry. */
  readonly expired: readonly string[]
  /** Under which the server keeps the record of this delivery; null if it does not say. */
  readonly deliveryId: string | null
  /** The version of each delivered value that has versions. */
  readonly versions: readonly DeliveredVersion[]
  /** Null if the server signs none. */
  readonly receipt: SignedReceipt | null
}

/** As the server sent it: base64 of the exact bytes that it signed, and of the signature. */
export type SignedReceipt = { readonly kid: string; readonly payload: string; readonly signature: string }

type DeliveredVersion = { readonly name: string; readonly version: number }

/** What a pending request waits for. `none`: the approval. `loopback`, `code`: it is approved, and the approval returns in
 * this way. `second_person`: one person approved, and the bundle needs two. */
export type Needs = 'none' | 'loopback' | 'code' | 'second_person'

export type WaitOutcome =
  /** A deposit was stored; the receipt says what. */
  | { readonly kind: 'applied'; readonly receipt: SignedReceipt }
  | { readonly kind: 'pending'; readonly needs: Needs }
  | { readonly kind: 'ready'; readonly delivery: Delivery }
  /** Ask again, but not before `retryAfterMs` (null: when you like). `reason` is for a person. */
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }

/** Read an answer of status 200.
 * @throws CliError refused */
export function readWaitAnswer(answer: ExchangeAnswer): WaitOutcome {
  const body = parseObject(answer.body) ?? {}
  if (body['status'] === 'pending') return { kind: 'pending', needs: readNeeds(body) }
  if (body['status'] === 'applied') return { kind: 'applied', receipt: readStored(body['deposit']) }
  if (body['status'] !== 'ready') throw refusedAnswer('the server answered neither "pending" nor "ready"')
  return { kind: 'ready', delivery: readDelivery(body) }
}

function readStored(value: unknown): SignedReceipt {
  const receipt = readReceipt(isObject(value) ? value['receipt'] : undefined)
  if (receipt !== null) return receipt
  throw refusedAnswer('the server does not say what it stored')
}

/** Read what an answer says of a delivery.
 * @throws CliError refused */
export function readDelivery(body: Record<string, unknown>): Delivery {
  const ciphertextBase64 = body['ciphertext_base64']
  if (typeof ciphertextBase64 !== 'string') throw refusedAnswer('the server sent no ciphertext')
  return {
    ciphertextBase64,
    bundle: readNamed(body, 'bundle'),
    workspace: readNamed(body, 'workspace'),
    missingRequired: readNames(body, 'missing_required'),
    expired: readNames(body, 'expired'),
    deliveryId: readDeliveryId(body['delivery_id']),
    versions: readVersions(body['versions']),
    receipt: readReceipt(body['receipt']),
  }
}

function readNeeds({ needs, release_by }: Record<string, unknown>): Needs {
  if (needs === undefined) return 'none'
  if (needs === 'second_person') return needs
  if (needs === 'release' && (release_by === 'loopback' || release_by === 'code')) return release_by
  throw refusedAnswer('this client does not support what the request needs; install a newer version')
}

function readNamed(body: Record<string, unknown>, field: string): Named | null {
  const value = body[field]
  if (value === undefined) return null
  const { id, name } = isObject(value) ? value : {}
  if (typeof id === 'string' && typeof name === 'string') return { id, name }
  throw refusedAnswer(`the server sent a ${field} without id and name`)
}

function readNames(body: Record<string, unknown>, field: string): readonly string[] {
  const value = body[field]
  if (value === undefined) return []
  if (!Array.isArray(value)) throw refusedAnswer(`the server sent ${field} that is not a list`)
  return value.map((name) => printable(String(name), 80))
}

function readDeliveryId(value: unknown): string | null {
  if (value === undefined) return null
  if (typeof value !== 'string') throw refusedAnswer('the server sent a delivery_id that is no text')
  return printable(value, 80)
}

function readVersions(value: unknown): readonly DeliveredVersion[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw refusedAnswer('the server sent versions that are not a list')
  return value.map((entry: unknown) => {
    const { name, version } = isObject(entry) ? entry : {}
    if (typeof name === 'string' && typeof version === 'number') return { name: printable(name, 80), version }
    throw refusedAnswer('the server sent a version without name and number')
  })
}

function readReceipt(value: unknown): SignedReceipt | null {
  if (value === undefined) return null
  const { kid, payload, signature } = isObject(value) ? value : {}
  const isWhole = typeof kid === 'string' && typeof payload === 'string' && typeof signature === 'string'
  if (isWhole) return { kid, payload, signature }
  throw refusedAnswer('the server sent a receipt that this client does not know')
}

function waitText({ status, retryAfterMs }: ExchangeAnswer): string {
  return status === 429 && retryAfterMs !== null ? `, wait ${Math.ceil(retryAfterMs / 1000)} s` : ''
}

/** The outcome of an answer that says "not yet": too many requests, or a failure of the server. */
export function readLater(answer: ExchangeAnswer): WaitOutcome {
  const error = printable(errorBody(answer).error, 80)
  const reason = `${error === '' ? `status ${answer.status}` : error}${waitText(answer)}`
  return { kind: 'later', retryAfterMs: answer.retryAfterMs, reason }
}
