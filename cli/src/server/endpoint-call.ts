import type { endpoints, Method } from '@keyferry/contract'
import { fillPath } from '@keyferry/contract/client'
import { announce } from '../base/announce.ts'
import { refusedAnswer } from '../base/cli-error.ts'
import { type Exchange, type ExchangeAnswer, type ExchangeRequest, NetworkError } from '../base/exchange.ts'
import type { Parts } from '../base/parts.ts'
import { parseJson, read, type Shape } from '../base/shape.ts'
import { NoAnswer, notKeyferry, refusal } from './server-failure.ts'

type EndpointTable = typeof endpoints

// The endpoints that this client calls. The compiler keeps them equal to the contract's table, which is not imported
// itself, because its schemas are larger than the rest of the client. Those of optional modules can be missing.
const ENDPOINTS = {
  changeAttachment: ['PUT', '/api/v1/bundles/{bundle_id}/keys/{key_id}'],
  createDelivery: ['POST', '/api/v1/deliveries'],
  createRequest: ['POST', '/api/v1/requests'],
  forgetDevice: ['POST', '/api/v1/grants/forget'],
  getBundle: ['GET', '/api/v1/bundles/{bundle_id}'],
  getDepositKey: ['GET', '/api/v1/deposit-key'],
  getHealth: ['GET', '/healthz'],
  getMe: ['GET', '/api/v1/me'],
  getOwnMachine: ['GET', '/api/v1/machine'],
  getSession: ['GET', '/session'],
  importVariables: ['POST', '/api/v1/imports'],
  listBundles: ['GET', '/api/v1/bundles'],
  listKeys: ['GET', '/api/v1/keys'],
  listKeyVersions: ['GET', '/api/v1/keys/{key_id}/versions'],
  listReceiptKeys: ['GET', '/api/v1/receipt-keys'],
  listUse: ['GET', '/api/v1/use'],
  listTenants: ['GET', '/api/v1/tenants'],
  releaseRequest: ['POST', '/api/v1/requests/{request_id}/release'],
  restoreKeyVersion: ['POST', '/api/v1/keys/{key_id}/restore'],
  waitForApproval: ['GET', '/api/v1/requests/{request_id}/wait'],
  waitForChange: ['POST', '/api/v1/deliveries/{delivery_id}/wait'],
  waitForRememberedChange: ['POST', '/api/v1/grants/wait'],
  withdrawRequest: ['POST', '/api/v1/requests/{request_id}/withdraw'],
} as const satisfies {
  readonly [N in keyof EndpointTable]?: readonly [EndpointTable[N]['method'], EndpointTable[N]['path']]
} & Readonly<Record<string, readonly [Method, string]>>

export type CalledEndpoint = keyof typeof ENDPOINTS

/** A server, and how to reach it. */
export type Server = { readonly server: string; readonly exchange: Exchange }

export type ClientCallOptions = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  /** 20 s unless given. */
  readonly timeoutMs?: number
  /** 64 KiB unless given. */
  readonly maxBodyBytes?: number
}

/** Send one request.
 * @throws NoAnswer */
export async function send({ server, exchange }: Server, request: ExchangeRequest): Promise<ExchangeAnswer> {
  try {
    return await exchange(request)
  } catch (error) {
    throw error instanceof NetworkError ? new NoAnswer(error, server) : error
  }
}

/** Call an endpoint of the contract by its name.
 * @throws NoAnswer */
export async function callEndpoint(
  at: Server,
  name: CalledEndpoint,
  { params, query, headers, body, timeoutMs = 20_000, maxBodyBytes = 64 * 1024 }: ClientCallOptions = {},
): Promise<ExchangeAnswer> {
  const [method, path] = ENDPOINTS[name]
  return await send(at, {
    method,
    url: at.server + fillPath(path, { ...params }, { ...query }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs,
    maxBodyBytes,
  })
}

export type ReadOptions<T> = ClientCallOptions & {
  readonly shape: Shape<T>
  /** What is wrong with an answer of another shape. */
  readonly malformed: string
  /** Turns a refusal into what a person reads; undefined: it has nothing to add. */
  readonly explain?: (answer: ExchangeAnswer) => Error | undefined
}

/** Call an endpoint and read its answer.
 * @throws CliError refused · what `explain` returns · NoAnswer */
export async function readEndpoint<T>(
  at: Server,
  name: CalledEndpoint,
  { shape, malformed, explain, ...options }: ReadOptions<T>,
): Promise<T> {
  const answer = await callEndpoint(at, name, options)
  if (answer.status < 200 || answer.status >= 300) throw explain?.(answer) ?? refusal(answer, at.server)
  return read(parseJson(answer.body), shape, () => notKeyferry(answer, at.server) ?? refusedAnswer(malformed))
}

// For a server that says "too many requests" but not for how long.
const USUAL_WAIT_MS = 5_000
const LEAST_WAIT_MS = 1_000
/** A longer wait is an error for the person to see, because a request expires sooner. */
const LONGEST_WAIT_MS = 300_000

/** An exchange that waits when the server answers 429, as long as the server says, and then sends the request again. It
 * says so before each wait. A server that asks for more than five minutes in total gets no further request: the caller
 * sees its answer.
 * @param onWait called before each wait, with its length in milliseconds */
export function patientExchange(
  { exchange, clock, view, stderr }: Pick<Parts, 'exchange' | 'clock' | 'view' | 'stderr'>,
  onWait: (waitMs: number) => void = () => undefined,
): Exchange {
  return async (request) => {
    let leftMs = LONGEST_WAIT_MS
    for (;;) {
      const answer = await exchange(request)
      const waitMs = Math.max(answer.retryAfterMs ?? USUAL_WAIT_MS, LEAST_WAIT_MS)
      if (answer.status !== 429 || waitMs > leftMs) return answer
      leftMs -= waitMs
      const wait_seconds = Math.ceil(waitMs / 1000)
      const text = `too many requests; the server asks to wait ${wait_seconds} s, then keyferry tries again`
      announce({ view, stderr }, { event: 'rate_limited', wait_seconds }, text)
      onWait(waitMs)
      await clock.sleep(waitMs)
    }
  }
}
