import { refusedAnswer } from '../base/cli-error.ts'
import type { ExchangeAnswer } from '../base/exchange.ts'
import { printable } from '../base/printable.ts'
import {
  list,
  number,
  object,
  optional,
  parseObject,
  read,
  refusing,
  type Shape,
  shown,
  string,
} from '../base/shape.ts'
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

const unsaid = () => refusedAnswer('the server does not say what it stored')

function readStored(value: unknown): SignedReceipt {
  return read(value, object({ receipt: receipt(unsaid) }), unsaid).receipt
}

/** Read what an answer says of a delivery.
 * @throws CliError refused */
export function readDelivery(body: Record<string, unknown>): Delivery {
  const delivery = DELIVERY(body)
  return {
    ciphertextBase64: delivery.ciphertext_base64,
    bundle: delivery.bundle,
    workspace: delivery.workspace,
    missingRequired: delivery.missing_required,
    expired: delivery.expired,
    deliveryId: delivery.delivery_id,
    versions: delivery.versions,
    receipt: delivery.receipt,
  }
}

const refused = (what: string) => () => refusedAnswer(`the server sent ${what}`)
const NAMED = object({ id: string, name: string })
const VERSION = refusing(object({ name: shown(80), version: number }), () =>
  refusedAnswer('the server sent a version without name and number'),
)
const anyText: Shape<string> = (value) => printable(String(value), 80)

function receipt(refusal: () => Error): Shape<SignedReceipt> {
  return refusing(object({ kid: string, payload: string, signature: string }), refusal)
}

const named = (field: string) => refusing(optional(NAMED, null), refused(`a ${field} without id and name`))
const names = (field: string) => refusing(optional(list(anyText), []), refused(`${field} that is not a list`))

const DELIVERY = object({
  ciphertext_base64: refusing(string, refused('no ciphertext')),
  bundle: named('bundle'),
  workspace: named('workspace'),
  missing_required: names('missing_required'),
  expired: names('expired'),
  delivery_id: refusing(optional(shown(80), null), refused('a delivery_id that is no text')),
  versions: refusing(optional(list(VERSION), []), refused('versions that are not a list')),
  receipt: optional(receipt(refused('a receipt that this client does not know')), null),
})

function readNeeds({ needs, release_by }: Record<string, unknown>): Needs {
  if (needs === undefined) return 'none'
  if (needs === 'second_person') return needs
  if (needs === 'release' && (release_by === 'loopback' || release_by === 'code')) return release_by
  throw refusedAnswer('this client does not support what the request needs; install a newer version')
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
