import { refusedAnswer } from '../base/cli-error.ts'
import type { ExchangeAnswer } from '../base/exchange.ts'
import type { WaitedFor } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'
import {
  isObject,
  list,
  number,
  object,
  oneOf,
  optional,
  parseObject,
  read,
  refusing,
  type Shape,
  shown,
  string,
  time,
} from '../base/shape.ts'
import { errorBody } from './server-failure.ts'

export const named = object({ id: string, name: string })
export type AnswerName = ReturnType<typeof named>

/** As the server sent it: base64 of the exact bytes that it signed, and of the signature. */
export type SignedReceipt = {
  readonly kid: string
  readonly payload: string
  readonly signature: string
  /** What the approvers signed, as the server sent it. */
  readonly touches?: readonly Readonly<Record<string, unknown>>[] | undefined
}

/** What a pending request waits for. `none`: the approval. `loopback`, `code`: it is approved, and the approval
 * returns in this way. `second_person`: one person approved, and the bundle needs two. `approver`: only others may
 * approve, and they are asked. */
export type ApprovalNeeds = 'none' | 'loopback' | 'code' | 'second_person' | 'approver'

/** `leftMs`: for how long; null: as before. */
export type Other = Pick<WaitedFor, 'who' | 'count'> & { readonly leftMs: number | null }

export type WaitAnswer =
  /** A deposit was stored; the receipt says what. */
  | { readonly kind: 'applied'; readonly receipt: SignedReceipt }
  /** A deposit was kept for the owners. */
  | { readonly kind: 'proposed'; readonly workspace: AnswerName }
  /** `statement`: of a deposit, who approved it for which workspace. */
  | {
      readonly kind: 'pending'
      readonly needs: ApprovalNeeds
      readonly other: Other | null
      readonly statement: SignedReceipt | null
    }
  | { readonly kind: 'ready'; readonly delivery: Delivery }
  /** Ask again, but not before `retryAfterMs` (null: when you like). `reason` is for a person. */
  | { readonly kind: 'later'; readonly retryAfterMs: number | null; readonly reason: string }

/** Read an answer of status 200.
 * @throws CliError refused */
export function readWaitAnswer(answer: ExchangeAnswer): WaitAnswer {
  const body = parseObject(answer.body) ?? {}
  if (body['status'] === 'pending') return readPending(body)
  if (body['status'] === 'applied') return { kind: 'applied', ...read(body['deposit'], STORED, unsaid) }
  if (body['status'] === 'proposed') return { kind: 'proposed', ...read(body['proposal'], PROPOSAL, unsaid) }
  if (body['status'] !== 'ready') throw refusedAnswer('the server answered neither "pending" nor "ready"')
  return { kind: 'ready', delivery: readDelivery(body) }
}

const objectAsSent: Shape<Record<string, unknown>> = (value) => {
  if (isObject(value)) return value
  throw refusedAnswer('the server sent a signature that this client does not know')
}

/** A receipt with what its approvers signed. */
export const SIGNED_RECEIPT = object({
  kid: string,
  payload: string,
  signature: string,
  touches: optional(list(objectAsSent), undefined),
})

const unsaid = () => refusedAnswer('the server does not say what it stored')

const PROPOSAL = object({ workspace: named })

const STORED = object({ receipt: receipt(unsaid) })

const refused = (what: string) => () => refusedAnswer(`the server sent ${what}`)
const VERSION = refusing(object({ name: shown(80), version: number }), () =>
  refusedAnswer('the server sent a version without name and number'),
)
const anyText: Shape<string> = (value) => printable(String(value), 80)

function receipt(refusal: () => Error): Shape<SignedReceipt> {
  return refusing(SIGNED_RECEIPT, refusal)
}

const STATEMENT = optional(receipt(refused('a statement that this client does not know')), null)

const where = (field: string) => refusing(optional(named, null), refused(`a ${field} without id and name`))
const names = (field: string) => refusing(optional(list(anyText), []), refused(`${field} that is not a list`))

/** What the approver delivers.
 * @throws CliError refused */
export const readDelivery = object({
  /** The sealed box. */
  ciphertextBase64: refusing(string, refused('no ciphertext')),
  /** The bundle that the approver chose, and its workspace; null if the server does not say. */
  bundle: where('bundle'),
  workspace: where('workspace'),
  /** Keys that the bundle marks as required and that the approver left out. */
  missingRequired: names('missing_required'),
  /** Names of delivered values that are past their expiry. */
  expired: names('expired'),
  /** Under which the server keeps the record of this delivery; null if it does not say. */
  deliveryId: refusing(optional(shown(80), null), refused('a delivery_id that is no text')),
  /** The version of each delivered value that has versions. */
  versions: refusing(optional(list(VERSION), []), refused('versions that are not a list')),
  /** When the approved task ends; null: it is no task. */
  taskUntil: refusing(optional(time, null), refused('a task_until that is no time')),
  /** Null if the server signs none. */
  receipt: optional(receipt(refused('a receipt that this client does not know')), null),
})
export type Delivery = ReturnType<typeof readDelivery>

const DECIDERS = object({ who: oneOf('owner', 'named'), count: number })

function readPending(body: Record<string, unknown>): WaitAnswer {
  const needs = readNeeds(body)
  const leftMs = typeof body['expires_in'] === 'number' ? body['expires_in'] * 1_000 : null
  if (needs === 'second_person')
    return { kind: 'pending', needs, other: { who: 'second', count: null, leftMs }, statement: null }
  if (needs !== 'approver')
    return { kind: 'pending', needs, other: null, statement: STATEMENT(body['statement']) }
  const deciders = read(body['deciders'], DECIDERS, refused('no deciders'))
  return { kind: 'pending', needs, other: { ...deciders, leftMs }, statement: null }
}

function readNeeds({ needs, release_by }: Record<string, unknown>): ApprovalNeeds {
  if (needs === undefined) return 'none'
  if (needs === 'second_person' || needs === 'approver') return needs
  if (needs === 'release' && (release_by === 'loopback' || release_by === 'code')) return release_by
  throw refusedAnswer('this client does not support what the request needs; install a newer version')
}

function waitText({ status, retryAfterMs }: ExchangeAnswer): string {
  return status === 429 && retryAfterMs !== null ? `, wait ${Math.ceil(retryAfterMs / 1000)} s` : ''
}

/** The outcome of an answer that says "not yet": too many requests, or a failure of the server. */
export function readLater(answer: ExchangeAnswer): WaitAnswer {
  const error = printable(errorBody(answer).error, 80)
  const reason = `${error === '' ? `status ${answer.status}` : error}${waitText(answer)}`
  return { kind: 'later', retryAfterMs: answer.retryAfterMs, reason }
}
