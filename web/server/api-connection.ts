import type { Readable } from 'node:stream'
import { type Call, createClient } from '@keyferry/contract/client'
import { type Dispatcher, Pool } from 'undici'
import { unavailable } from './refusal.ts'
import type { WebSettings } from './settings.ts'

/** Above the long-poll hold, so that a held wait is not taken for a dead API. */
const ANSWER_TIMEOUT_MS = 60_000

export type ApiRequest = {
  method: Dispatcher.HttpMethod
  /** With query, as it is signed and sent. */
  path: string
  headers: Record<string, string>
  body?: string | Uint8Array | Readable | null
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

export function connectApi(target: WebSettings['api']): ApiConnection {
  const pool = openPool(target)
  const send = async (request: ApiRequest) => {
    try {
      return await pool.request({ body: null, signal: null, ...request })
    } catch (cause) {
      throw unavailable('Keyferry API', cause)
    }
  }
  return { send, call: createClient('', fetchBy(send)), close: () => pool.close() }
}

function openPool(target: WebSettings['api']): Pool {
  const options = { headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS }
  if ('url' in target) return new Pool(target.url, options)
  return new Pool('http://localhost', { ...options, socketPath: target.socketPath })
}

function fetchBy(send: ApiConnection['send']): typeof fetch {
  return async (path, init = {}) => {
    const answer = await send({
      method: methodOf(init.method),
      path: path instanceof Request ? path.url : path.toString(),
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      ...(init.signal ? { signal: init.signal } : {}),
    })
    const headers = new Headers({ 'content-type': String(answer.headers['content-type'] ?? '') })
    return new Response(await answer.body.text(), { status: answer.statusCode, headers })
  }
}

function methodOf(method: string | undefined): Dispatcher.HttpMethod {
  return method === 'POST' || method === 'PUT' || method === 'DELETE' ? method : 'GET'
}
