import type { ClientRequest, IncomingMessage } from 'node:http'
import { http, https } from '@keyferry/plumbing/node-http'
import { TargetRefused } from '../domain/base/outgoing-target.ts'
import type { Guard } from './guard.ts'

/** Why a call that left the server gave no answer. */
export type OutgoingWord = 'target_refused' | 'dns' | 'tls' | 'refused' | 'timeout' | 'too_large'

export class OutgoingFailure extends Error {
  override readonly name = 'OutgoingFailure'
  readonly word: OutgoingWord

  constructor(word: OutgoingWord, cause: unknown) {
    super(word, { cause })
    this.word = word
  }
}

type CallTarget = {
  url: string
  /** For the whole call. */
  timeoutMs: number
  /** Ends the call early. */
  signal?: AbortSignal
}

export type GuardedCall = CallTarget & {
  /** Of the answer's body; a longer one is a failure. */
  maxBytes: number
}

/** GET an address that the guard allows. Redirects are not followed: their status is the answer.
 * @throws OutgoingFailure */
export async function guardedGet(
  guard: Guard,
  { maxBytes, ...target }: GuardedCall,
): Promise<{ status: number; body: string }> {
  const sent = { method: 'GET', headers: { accept: 'application/json' }, body: '' }
  return called(guard, { ...target, ...sent }, async (answer) => ({
    status: answer.statusCode ?? 0,
    body: await bodyOf(answer, maxBytes),
  }))
}

export type GuardedPost = CallTarget & { headers: Readonly<Record<string, string>>; body: string }

/** The most that is read of an answer whose body says nothing to the server. */
const DRAINED_BYTES = 4 * 1024
const DRAINED_MS = 1_000

/** POST to an address that the guard allows. Redirects are not followed. The answer's body is read a little, so that
 * the receiver can end its answer, and thrown away.
 * @throws OutgoingFailure */
export async function guardedPost(
  guard: Guard,
  call: GuardedPost,
): Promise<{ status: number; retryAfter: string | null }> {
  return called(guard, { ...call, method: 'POST' }, async (answer) => {
    await drained(answer)
    return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] ?? null }
  })
}

type Sending = CallTarget & { method: string; headers: Readonly<Record<string, string>>; body: string }

async function called<T>(
  guard: Guard,
  { url, timeoutMs, signal: early, ...sent }: Sending,
  read: (answer: IncomingMessage) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = early ? AbortSignal.any([timeout, early]) : timeout
  const attempt = async () => {
    const target = await guard.connectable(url)
    return read(await answered(open(guard, target, { signal, ...sent })))
  }
  try {
    return await Promise.race([attempt(), aborted(signal)])
  } catch (error) {
    throw failure(error, timeout)
  }
}

function open(
  guard: Guard,
  url: URL,
  { body, ...options }: Pick<Sending, 'method' | 'headers' | 'body'> & { signal: AbortSignal },
): ClientRequest {
  const send = url.protocol === 'http:' ? http.request : https.request
  return send(url, { ...options, ...guard.wayTo(url) }).end(body)
}

// The status is the answer; what happens to the rest of it does not matter.
async function drained(answer: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => answer.destroy(), DRAINED_MS)
  let bytes = 0
  try {
    for await (const chunk of answer) {
      bytes += Buffer.isBuffer(chunk) ? chunk.length : 0
      if (bytes > DRAINED_BYTES) break
    }
  } catch {
    // The receiver broke the connection after its status.
  } finally {
    clearTimeout(timer)
    answer.destroy()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}

// A call that ends without an answer or an error, as after 101, is only closed.
function answered(call: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) =>
    call
      .once('response', resolve)
      .once('error', reject)
      .once('close', () => reject(new Error('no answer'))),
  )
}

async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > maxBytes) {
      answer.destroy()
      throw new OutgoingFailure('too_large', null)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function failure(error: unknown, signal: AbortSignal): OutgoingFailure {
  if (error instanceof OutgoingFailure) return error
  return new OutgoingFailure(signal.aborted ? 'timeout' : wordOf(error), error)
}

function wordOf(error: unknown): OutgoingWord {
  if (error instanceof TargetRefused) return 'target_refused'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^E(NOTFOUND|AI_|NODATA|SERVFAIL)/.test(code)) return 'dns'
  if (/^(ERR_TLS|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|ERR_SSL|EPROTO)/.test(code)) return 'tls'
  return 'refused'
}
