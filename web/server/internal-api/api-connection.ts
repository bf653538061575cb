import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type EndpointClient } from '@keyferry/contract/client'
import { timeLimit } from '@keyferry/plumbing/time-limits'
import type { Dispatcher } from 'undici'
// Import two files of the package, because its main module also loads fetch, WebSocket and a cache: 9 MiB unused here.
import request from 'undici/lib/api/api-request.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { unavailable } from '../http/refusal.ts'
import type { WebSettings } from '../settings.ts'
import { ApiNodes } from './api-nodes.ts'
import type { Sign, SignedFor } from './signed-call.ts'

/** Longer than a wait, so that it does not time out. */
const ANSWER_TIMEOUT_MS = 60_000
/** Much shorter than the API's idle time-out: no call may start on a connection that the API is closing. */
const IDLE_MS = 30_000
const CONNECT_TIMEOUT_MS = 2_000
const FIRST_PAUSE_MS = 5
const LAST_PAUSE_MS = 1_000

type ApiRequest = {
  method: Dispatcher.HttpMethod
  /** With the query, as it is signed and sent. */
  path: string
  headers: Record<string, string>
  body?: Uint8Array
  signal?: AbortSignal | null
}

/** Connections to the internal API, pooled, over TCP to one or more nodes or over a Unix socket. */
export type ApiConnection = {
  /** How many nodes it knows. */
  nodes: number
  /** @throws Refusal unavailable: no answer, or `signal` aborted */
  send(request: ApiRequest): Promise<Dispatcher.ResponseData>
  /** Typed calls that this layer makes itself. @throws CallError (the API answered with an error) · Refusal
   * unavailable */
  call: EndpointClient
  /** The same calls, made for a person. */
  callFor(person: SignedFor): EndpointClient
  close(): Promise<void>
}

export function connectApi(target: WebSettings['api'], sign: Sign): ApiConnection {
  const nodes = new ApiNodes(openPools(target))
  const send = async (call: ApiRequest) => {
    const body = call.body?.length ? call.body : null
    const attempt = (pool: Pool) => whenQueued(() => request.call(pool, { signal: null, ...call, body }))
    const answer = await nodes.first(attempt).catch((cause: unknown) => {
      throw unavailable('Keyferry API', cause)
    })
    return await fromApi(answer)
  }
  const callFor = (caller: SignedFor) => createClient('', fetchBy(send, sign, caller))
  return { nodes: nodes.count, send, call: callFor(null), callFor, close: () => nodes.close() }
}

// A Unix socket refuses connections while its queue is full, which happens when many calls come at once. Nothing was
// sent then, so it is safe to retry any call.
async function whenQueued<T>(attempt: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      return await attempt()
    } catch (cause) {
      if (!isQueueFull(cause) || pauseMs > LAST_PAUSE_MS) throw cause
      await sleep(pauseMs * (1 + Math.random()))
    }
  }
}

function isQueueFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}

// A proxy answers 502 or 504 when it cannot reach the API. The API itself never does.
async function fromApi(answer: Dispatcher.ResponseData): Promise<Dispatcher.ResponseData> {
  if (answer.statusCode !== 502 && answer.statusCode !== 504) return answer
  await answer.body.dump()
  throw unavailable('Keyferry API', new Error(`a proxy answered ${answer.statusCode}`))
}

function openPools(target: WebSettings['api']): Pool[] {
  const options = {
    connectTimeout: timeLimit(CONNECT_TIMEOUT_MS),
    headersTimeout: timeLimit(ANSWER_TIMEOUT_MS),
    bodyTimeout: timeLimit(ANSWER_TIMEOUT_MS),
    keepAliveMaxTimeout: IDLE_MS,
  }
  if ('urls' in target) return target.urls.map((url) => new Pool(url, options))
  return [new Pool('http://localhost', { ...options, socketPath: target.socketPath })]
}

function fetchBy(send: ApiConnection['send'], sign: Sign, caller: SignedFor): typeof fetch {
  return async (url, init = {}) => {
    const method = methodOf(init.method)
    const path = url instanceof Request ? url.url : url.toString()
    const body = new TextEncoder().encode(typeof init.body === 'string' ? init.body : '')
    const own = new Headers(init.headers)
    const signature = sign(caller, { method, path, body, clientAddress: own.get('x-forwarded-for') })
    const headers = { ...Object.fromEntries(own), ...signature }
    const answer = await send({ method, path, headers, body })
    const headersBack = new Headers()
    for (const name of ['content-type', 'retry-after']) {
      const value = answer.headers[name]
      if (typeof value === 'string') headersBack.set(name, value)
    }
    return new Response(await answer.body.text(), { status: answer.statusCode, headers: headersBack })
  }
}

function methodOf(method: string | undefined): Dispatcher.HttpMethod {
  return method === 'POST' || method === 'PUT' || method === 'DELETE' ? method : 'GET'
}
