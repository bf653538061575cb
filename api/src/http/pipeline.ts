import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { type Access, type Endpoint, paramsOf } from '@keyferry/contract'
import { plainAddress } from '@keyferry/plumbing/client-address'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { DomainError } from '../domain/base/errors.ts'
import {
  admit,
  type Caller,
  type MembershipStore,
  type SignedCaller,
  type Visitor,
} from '../domain/people/membership.ts'
import type { Program } from '../domain/people/program.ts'
import type { AnswerOutcome } from './handler.ts'
import { originOf, type Peer, type RateLimit, type RateVerdict, Reply } from './handler.ts'
import type { Limited } from './handlers.ts'
import { requireWithinReach } from './reach-guard.ts'
import { parseJson, validated } from './request-parts.ts'
import type { TouchGuard } from './touch-guard.ts'

/** What a signature may cover. Headers as received: `[name, value, name, value …]`. */
type SignedFacts = { method: string; url: string; rawHeaders: readonly string[]; body: Uint8Array }

/** What one call's signature says. */
type Signature = {
  /** The client's address that a web node signed; null: the call carries none. */
  clientAddress: string | null
  /** When the caller signed in, as a web node signed it, in epoch seconds; null: unknown. */
  signedInSeconds: number | null
  /** The epoch that the caller's session began in, as a web node signed it; null: unknown. */
  epoch: number | null
  /** Who signed the call: `layer` is the web-facing layer, for no person. Null for a call that needs no signature.
   * @throws DomainError unauthorized */
  authenticate: (access: Access) => Promise<SignedCaller | 'layer' | null>
}

export type PipelineParts = {
  /** @throws DomainError unauthorized (an identity header that is given twice) */
  readSignature: (facts: SignedFacts) => Signature
  memberships: MembershipStore
  /** Null: no module admits bearer tokens. */
  programCalls: ProgramCalls | null
  devAllowPlaintext: boolean
  requireTouch: TouchGuard
  limited: Limited
}

/** How programs call. An optional module knows them. */
export type ProgramCalls = {
  /** The program behind a bearer token, if it may call this row.
   * @param body of a row for programs only
   * @throws DomainError */
  admit: (call: { bearer: string; peer: Peer; row: Endpoint }, body: unknown) => Promise<Program>
  /** Learns of a call that failed.
   * @returns the error to answer with */
  afterRefusal: (error: unknown, peer: Peer) => Promise<unknown>
}

/** Null: a call that anyone may make. */
type AnyCaller = Visitor | Program | 'layer' | null

/** A handler without its types; `registerEndpoints` pairs it with its row. */
export type LooseHandler = (call: ServedCall) => unknown

export type ServedEndpoint = {
  name: string
  row: Endpoint
  handler: LooseHandler
  rateLimit: RateLimit | undefined
}

const NO_BODY = Buffer.alloc(0)

/** Serve one call: apply its rate limit, authenticate, admit, and only then read its body. */
export function pipeline({ name, row, handler, rateLimit }: ServedEndpoint, parts: PipelineParts) {
  const { requireTouch, limited, programCalls } = parts
  const params = paramsOf(row)
  return async function serve(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const signature = parts.readSignature(factsOf(request))
    const peer = peerOf(request, signature.clientAddress)
    if (rateLimit) applyLimit(await rateLimit(peer, bodyOf(request)), reply)
    const bearer = programCalls && bearerOf(row, request)
    const served = { name, row, params, handler, requireTouch, limited, request, reply, signature }
    if (programCalls === null || bearer === null) {
      const caller = await callerOf({ request, signature, peer }, row.access, parts)
      return answer(served, { caller, peer })
    }
    await signature.authenticate('program')
    try {
      const body = row.access === 'program' ? bodyIn(row, request) : undefined
      const caller = await programCalls.admit({ bearer, peer, row }, body)
      request.tenantId = caller.tenantId
      return await answer(served, { caller, peer })
    } catch (error) {
      throw await programCalls.afterRefusal(error, peer)
    }
  }
}

type Served = Omit<ServedEndpoint, 'rateLimit'> & {
  requireTouch: TouchGuard
  limited: Limited
  params: ReturnType<typeof paramsOf>
  request: FastifyRequest
  reply: FastifyReply
  signature: Pick<Signature, 'signedInSeconds'>
}
type PeerCaller = { caller: AnyCaller; peer: Peer }

async function answer({ handler, reply, ...served }: Served, who: PeerCaller): Promise<FastifyReply> {
  const parts = validParts(served)
  const call = new ServedCall({ ...parts, touch: touchIn(served.request) }, who, reply.raw)
  const work = await workOf({ ...served, handler }, call)
  return send(reply, replyOf(served.row, await guarded(served, call, async () => work(call))))
}

// What a limited member calls in their workspace knows only what is within reach.
async function workOf(
  { name, row, limited, handler }: Pick<Served, 'name' | 'row' | 'limited' | 'handler'>,
  { caller, ...given }: ServedCall,
): Promise<LooseHandler> {
  if (row.access !== 'member' || !isMember(caller) || caller.reach === null) return handler
  const { handlers, stores } = limited(caller)
  await requireWithinReach(stores, caller, { ...given, name })
  const own: Readonly<Record<string, unknown>> = handlers
  return own[name] as LooseHandler
}

async function guarded(
  { name, row: { touch }, request, requireTouch, signature }: Omit<Served, 'handler' | 'reply'>,
  { caller, params, body, touch: given }: ServedCall,
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (typeof touch !== 'object' || !isMember(caller)) return await work()
  const { method, url: path, body: bytes } = factsOf(request)
  const sent = { method, path, body: bytes }
  const { signedInSeconds } = signature
  const call = { act: name, ...touch, caller, params, body, sent, given, signedInSeconds }
  return await requireTouch(call, work)
}

function touchIn({ headers }: FastifyRequest): string | undefined {
  const given = headers['keyferry-touch']
  return typeof given === 'string' ? given : undefined
}

function isMember(caller: AnyCaller): caller is Caller {
  return caller !== null && caller !== 'layer' && 'role' in caller && caller.role !== null
}

function replyOf({ responses }: Endpoint, given: unknown): LooseReply {
  const status = Number(Object.keys(responses)[0])
  if (given instanceof Reply) return { status, ...given.parts }
  return { status, body: given === undefined ? { ok: true } : given }
}

function applyLimit({ allowed, headers }: RateVerdict, reply: FastifyReply): void {
  reply.headers(headers)
  if (!allowed) throw new DomainError('too_many', 'Too many requests')
}

const BEARER = /^bearer +([^\s,]+)$/i

/** The bearer token of a call to a row that programs may call; null without one.
 * @throws DomainError unauthorized: two `Authorization` headers, or another scheme on a row for programs only */
function bearerOf({ access, program }: Endpoint, { raw }: FastifyRequest): string | null {
  if (access !== 'program' && program === undefined) return null
  const given = raw.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization',
  )
  const token = BEARER.exec(raw.headers.authorization ?? '')?.[1] ?? null
  if (given.length > 1 || (token === null && access === 'program'))
    throw new DomainError('unauthorized', 'Unauthorized')
  return token
}

function factsOf(request: FastifyRequest): SignedFacts {
  const { method = request.method, rawHeaders, url = '' } = request.raw
  return { method, url, rawHeaders, body: bodyOf(request) }
}

async function callerOf(
  { request, signature, peer }: { request: FastifyRequest; signature: Signature; peer: Peer },
  access: Access,
  { memberships, devAllowPlaintext }: PipelineParts,
): Promise<Visitor | 'layer' | null> {
  const signed = await signature.authenticate(access)
  if (access === 'dev' && !devAllowPlaintext)
    throw new DomainError('forbidden', 'Forbidden: development only')
  if (access === 'public' || access === 'dev') return null
  if (access === 'layer' || access === 'public_or_layer') return signed === 'layer' ? signed : null
  // A row for programs only needs a bearer token.
  if (access === 'program') throw new DomainError('unauthorized', 'Unauthorized')
  if (!signed || signed === 'layer') throw new DomainError('unauthorized', 'Unauthorized')
  const began = signature.epoch
  const caller = await admit(memberships, { ...signed, began, origin: originOf(peer) }, access)
  request.tenantId = caller.tenantId
  return caller
}

function validParts({ row, params, request }: Pick<Served, 'row' | 'params' | 'request'>) {
  return {
    params: validated(params, request.params),
    query: validated(row.query, request.query),
    headers: validated(row.headers, request.headers),
    body: bodyIn(row, request),
  }
}

/** The body by its schema; undefined where the row takes none. */
function bodyIn({ body, ...bounds }: Endpoint, request: FastifyRequest): unknown {
  if (body === undefined) return undefined
  const json = jsonOf(body, request)
  requireSize(bodyOf(request).length, json, bounds)
  return validated(body, json)
}

function requireSize(
  bytes: number,
  json: unknown,
  { maxBodyBytes = Infinity, longBody }: Pick<Endpoint, 'maxBodyBytes' | 'longBody'>,
): void {
  const isLong = longBody !== undefined && typeof json === 'object' && json !== null && longBody.field in json
  if (bytes > maxBodyBytes && !isLong) throw new DomainError('too_large', 'request body too large')
}

// An absent body counts as `{}`, so that the answer names the first required field.
function jsonOf(schema: z.ZodType, request: FastifyRequest): unknown {
  const body = bodyOf(request)
  return body.length === 0 ? {} : parseJson(body, schema instanceof z.ZodArray ? 'list' : 'object')
}

function bodyOf(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : NO_BODY
}

function peerOf(request: FastifyRequest, signedAddress: string | null): Peer {
  const signed = signedAddress === null ? null : plainAddress(signedAddress)
  const address = signed ?? (request.clientAddress || 'local')
  return { address, userAgent: request.headers['user-agent'] ?? '' }
}

// Thousands of calls may wait: each is one object, and listens for the end of its connection only when asked to.
class ServedCall {
  readonly caller: AnyCaller
  readonly peer: Peer
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
  readonly touch: string | undefined
  readonly #response: ServerResponse

  constructor(
    parts: ReturnType<typeof validParts> & { touch: string | undefined },
    who: PeerCaller,
    raw: ServerResponse,
  ) {
    this.caller = who.caller
    this.peer = who.peer
    this.params = parts.params
    this.query = parts.query
    this.headers = parts.headers
    this.body = parts.body
    this.touch = parts.touch
    this.#response = raw
  }

  onBreak(listener: () => void): void {
    const response = this.#response
    if (response.destroyed) listener()
    else response.once('close', () => response.writableFinished || listener())
  }
}

/** A handler's reply without its types. */
type LooseReply = {
  status: number
  body?: unknown
  stream?: AsyncIterable<string>
  isText?: boolean
  headers?: Readonly<Record<string, string>>
  delivery?: AnswerOutcome
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

// A text can be a megabyte. By default, sixteen would wait in memory for a slow caller.
const READ_WHEN_WRITTEN = { highWaterMark: 1 }

/** Send an answer and tell its delivery the outcome. */
function send(reply: FastifyReply, loose: LooseReply): FastifyReply {
  const { status, body, stream, isText = typeof body === 'string', headers = {}, delivery } = loose
  if (delivery) follow(reply, delivery)
  reply.code(status).headers({ 'cache-control': 'no-store', ...headers })
  reply.type(headers['content-type'] ?? (isText ? TEXT_TYPE : JSON_TYPE))
  if (stream) return reply.send(Readable.from(stream, READ_WHEN_WRITTEN))
  return reply.send(isText ? body : JSON.stringify(body))
}

function follow({ raw }: FastifyReply, { delivered, broken }: AnswerOutcome): void {
  if (raw.destroyed || raw.socket?.destroyed === true) broken()
  else raw.once('close', () => (raw.writableFinished ? delivered() : broken()))
}
