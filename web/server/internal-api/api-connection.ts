import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, createClient } from '@keyferry/contract/client'
import type { Dispatcher } from 'undici'
// Two parts of the package: its front door loads a second fetch, WebSocket and cache, some 9 MiB that nothing here uses.
import request from 'undici/lib/api/api-request.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { unavailable } from '../http/refusal.ts'
import type { WebSettings } from '../settings.ts'
import type { Sign } from './signed-call.ts'

/** Above the long-poll hold, so that a held wait is not taken for a dead API. */
const ANSWER_TIMEOUT_MS = 60_000
/** Well below the time after which the API ends a connection on which nothing happens: a call must not meet that end. */
const IDLE_MS = 30_000
const FIRST_PAUSE_MS = 5
const LAST_PAUSE_MS = 1_000

type ApiRequest = {
  method: Dispatcher.HttpMethod
  /** With query, as it is signed and sent. */
  path: string
  headers: Record<string, string>
  body?: Uint8Array
  signal?: AbortSignal | null
}

/** The way to the internal API: pooled connections over TCP or a Unix socket. */
export type ApiConnection = {
  /** @throws Refusal unavailable (no answer); an abort of `signal` too, which nobody is left to hear of */
  send(request: ApiRequest): Promise<Dispatcher.ResponseData>
  /** Typed calls that this layer makes itself. @throws CallError (an answer of failure) · Refusal unavailable */
  call: Call
  close(): Promise<void>
}

export function connectApi(target: WebSettings['api'], sign: Sign): ApiConnection {
  const pool = openPool(target)
  const send = async (call: ApiRequest) => {
    const body = call.body?.length ? call.body : null
    const answer = await whenQueued(() => request.call(pool, { signal: null, ...call, body }))
    return await fromApi(answer)
  }
  const close = async () => {
    if (!pool.closed) await pool.close()
  }
  return { send, call: createClient('', fetchBy(send, sign)), close }
}

// A Unix socket refuses a connection at once while its queue is full, as it is when many calls come in one turn of the
// event loop. Nothing was sent then, so any call may be made again.
async function whenQueued<T>(attempt: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      return await attempt()
    } catch (cause) {
      if (!isQueueFull(cause) || pauseMs > LAST_PAUSE_MS) throw unavailable('Keyferry API', cause)
      await sleep(pauseMs * (1 + Math.random()))
    }
  }
}

function isQueueFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
}

// A proxy in between says so when it reaches no API; the API itself answers neither.
async function fromApi(answer: Dispatcher.ResponseData): Promise<Dispatcher.ResponseData> {
  if (answer.statusCode !== 502 && answer.statusCode !== 504) return answer
  await answer.body.dump()
  throw unavailable('Keyferry API', new Error(`a proxy answered ${answer.statusCode}`))
}

function openPool(target: WebSettings['api']) {
  const options = {
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_MS,
  }
  if ('url' in target) return new Pool(target.url, options)
  return new Pool('http://localhost', { ...options, socketPath: target.socketPath })
}

function fetchBy(send: ApiConnection['send'], sign: Sign): typeof fetch {
  return async (url, init = {}) => {
    const method = methodOf(init.method)
    const path = url instanceof Request ? url.url : url.toString()
    const body = new TextEncoder().encode(typeof init.body === 'string' ? init.body : '')
    const own = new Headers(init.headers)
    const clientAddress = own.get('x-forwarded-for')
    // A call for a person arrives here signed for that person.
    const isSigned = own.has('x-signature-v2')
    const signature = isSigned ? {} : sign(null, { method, path, body, clientAddress })
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
