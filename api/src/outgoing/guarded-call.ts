import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { TargetRefused } from '../domain/outgoing-target.ts'
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

export type GuardedCall = {
  url: string
  /** For the whole call. */
  timeoutMs: number
  /** Of the answer's body; a longer one is a failure. */
  maxBytes: number
}

/** GET an address that the guard allows. Redirects are not followed: their status is the answer.
 * @throws OutgoingFailure */
export async function guardedGet(
  guard: Guard,
  { url, timeoutMs, maxBytes }: GuardedCall,
): Promise<{ status: number; body: string }> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const target = await guard.connectable(url)
    const answer = await answered(open(guard, target, signal))
    return { status: answer.statusCode ?? 0, body: await bodyOf(answer, maxBytes) }
  } catch (error) {
    throw failure(error, signal)
  }
}

function open(guard: Guard, url: URL, signal: AbortSignal): ClientRequest {
  const options = {
    lookup: guard.lookupFor(url),
    signal,
    agent: false as const,
    headers: { accept: 'application/json' },
  }
  const send = url.protocol === 'http:' ? requestHttp : requestHttps
  return send(url, options).end()
}

function answered(call: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => call.once('response', resolve).once('error', reject))
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
