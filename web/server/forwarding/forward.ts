import {
  type ApiEndpointName,
  type AuthMode,
  apiEndpoints,
  type Endpoint,
  WORKSPACE_HEADER,
  WorkspaceHeaders,
} from '@keyferry/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import type { OwnExchange } from '../http/own-endpoints.ts'
import { requirePersonOfPage } from '../http/person-of-page.ts'
import { Refusal, unauthorized } from '../http/refusal.ts'
import { readBody } from '../http/request-body.ts'
import { bearerToHandOn, hasBearer, headersToHandOn } from '../http/request-headers.ts'
import { type OriginRules, requireSameOrigin } from '../http/same-origin.ts'
import type { Identity, Person } from '../identity/identity.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import type { Sign, SignedFor } from '../internal-api/signed-call.ts'
import type { OpenCalls } from './open-calls.ts'

export type ForwardOptions = {
  mode: AuthMode
  api: ApiConnection
  identity: Identity
  sign: Sign
  originRules: OriginRules
  maxBodyBytes: number
  openCalls: OpenCalls
  /** Whether the API learns when a person signed in. */
  saysSignIn: boolean
}

type ForwardHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

const UNSIGNED: Sign = () => ({})

const ONE_PIECE_BYTES = 16_384

/** Hop-by-hop headers, and headers that this layer sets itself. */
const NOT_HANDED_BACK = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
])

/** Forward the rows of the endpoint table to the API, and nothing else. Rows that only this layer may call
 * (`internal`), and those of other modes of sign-in, have no route here. */
export function forwardEndpoints(app: FastifyInstance, options: ForwardOptions): void {
  for (const [name, endpoint] of Object.entries<Endpoint>(apiEndpoints)) {
    if (endpoint.internal === true || endpoint.modes?.includes(options.mode) === false) continue
    app.route({
      method: endpoint.method,
      url: routePattern(endpoint.path),
      exposeHeadRoute: false,
      handler: handlerOf(name as ApiEndpointName, endpoint, options),
    })
  }
}

function routePattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

function handlerOf(name: ApiEndpointName, endpoint: Endpoint, options: ForwardOptions): ForwardHandler {
  if (name === 'waitForApproval')
    return pendingWhenEnded(forwardPublic(endpoint, options, { isWait: true }), options.openCalls)
  if (endpoint.access === 'public' || endpoint.access === 'dev') return forwardPublic(endpoint, options)
  // This layer signs only what it knows itself, and here the caller names a person.
  if (endpoint.access === 'public_or_layer') return forwardPublic(endpoint, { ...options, sign: UNSIGNED })
  if (endpoint.access === 'program') return forwardPublic(endpoint, options, { bearer: true })
  if (name === 'switchTenant') return forwardSwitch(endpoint, options)
  if (endpoint.program !== undefined) return forwardEither(endpoint, options)
  return forwardSigned(endpoint, options)
}

/** `bearer`: hand a bearer token on, the API decides whose it is. `isHeld`: the API may keep the call open for long. */
type Forwarding = { bearer?: boolean; isWait?: boolean }

function forwardPublic({ method }: Endpoint, options: ForwardOptions, how: Forwarding = {}): ForwardHandler {
  return async (request, reply) => {
    const send = await openCall({ method, ...how }, options, { request, reply })
    const answer = await send(null)
    return await handBack(reply, answer)
  }
}

/** A row that people and programs may call: a bearer token counts, and the session cookie beside it does not. */
function forwardEither(endpoint: Endpoint, options: ForwardOptions): ForwardHandler {
  const forProgram = forwardPublic(endpoint, options, { bearer: true })
  const forPerson = forwardSigned(endpoint, options)
  return (request, reply) => (hasBearer(request) ? forProgram(request, reply) : forPerson(request, reply))
}

// Answer an open wait with `pending` at shutdown, so that the client asks another node instead of failing.
function pendingWhenEnded(handler: ForwardHandler, openCalls: OpenCalls): ForwardHandler {
  return async (request, reply) => {
    try {
      return await handler(request, reply)
    } catch (error) {
      if (!openCalls.areEnded) throw error
      return { status: 'pending' }
    }
  }
}

function forwardSigned(endpoint: Endpoint, options: ForwardOptions): ForwardHandler {
  return async (request, reply) => {
    const { person, named, send } = await openSigned(endpoint, options, { request, reply })
    if (named !== null) return await handBack(reply, await send(named))
    const answer = await send(person.tenantId)
    if (!(await hasLostTenant(answer, person, options))) return await handBack(reply, answer)
    await options.identity.chooseTenant(request, reply, person.personalTenantId)
    if (endpoint.method !== 'GET') return await handBack(reply, answer)
    await answer.body.dump()
    const own = await send(person.personalTenantId)
    return await handBack(reply, own)
  }
}

/** After the switch, the session's current tenant is the one that the answer names. */
function forwardSwitch(endpoint: Endpoint, options: ForwardOptions): ForwardHandler {
  return async (request, reply) => {
    const { person, named, send } = await openSigned(endpoint, options, { request, reply })
    const answer = await send(named ?? person.tenantId)
    const text = await answer.body.text()
    const tenantId = answer.statusCode === 200 ? tenantOfAnswer(text) : null
    if (tenantId !== null) await options.identity.chooseTenant(request, reply, tenantId)
    return handBackHead(reply, answer).send(text)
  }
}

/** Identify the person behind a call, and prepare to send it.
 * @returns `named`: the tenant that the call itself names; null: the session's current tenant counts
 * @throws Refusal unauthorized · forbidden · other_person · invalid (a malformed `Keyferry-Workspace`) · too_large */
async function openSigned({ method }: Endpoint, options: ForwardOptions, exchange: OwnExchange) {
  const person = await options.identity.identify(exchange.request)
  if (!person) throw unauthorized()
  requireSameOrigin(exchange.request, options.originRules)
  requirePersonOfPage(exchange.request, person)
  const named = namedTenant(exchange.request)
  const send = await openCall({ method }, options, exchange)
  const { userId, provedAtMs, createdAtMs, epoch } = person
  const signedInAtMs = options.saysSignIn ? (provedAtMs ?? createdAtMs) : undefined
  const sendIn = async (tenantId: string) => {
    const answer = await send({ userId, tenantId, signedInAtMs, epoch })
    if (answer.statusCode !== 401) return answer
    const hasEnded = (await answer.body.text()).includes('"code":"session_ended"')
    if (hasEnded) await options.identity.endSession?.(exchange.request, exchange.reply)
    throw unauthorized()
  }
  return { person, named, send: sendIn }
}

/** Prepare a call to the API. Reads the whole body first, because the signature covers it. */
async function openCall(
  { method, bearer = false, isWait = false }: { method: Endpoint['method'] } & Forwarding,
  { api, sign, maxBodyBytes, openCalls }: ForwardOptions,
  { request, reply }: OwnExchange,
): Promise<(caller: SignedFor) => Promise<Dispatcher.ResponseData>> {
  const path = request.raw.url ?? '/'
  const body = method === 'GET' ? new Uint8Array() : await readBody(request, maxBodyBytes)
  const signal = openCalls.begin(reply, isWait)
  const attempt = async (caller: SignedFor) => {
    const headers = {
      ...headersToHandOn(request),
      ...(bearer ? bearerToHandOn(request) : {}),
      ...sign(caller, { method, path, body, clientAddress: request.clientAddress }),
    }
    return await api.send({ method, path, headers, body, signal })
  }
  // Retry a read once when an API node goes down. Sign it again, because the API accepts a signature only once.
  return async (caller) =>
    await attempt(caller).catch((error: unknown) => {
      if (method !== 'GET' || signal.aborted) throw error
      return attempt(caller)
    })
}

/** Whether the API refused because the person is no longer a member of the current tenant. */
async function hasLostTenant(
  answer: Dispatcher.ResponseData,
  person: Person,
  { api }: ForwardOptions,
): Promise<boolean> {
  if (answer.statusCode !== 403 || person.tenantId === person.personalTenantId) return false
  return !(await isMember(api, person))
}

/** Send a short answer in one piece, which costs one write instead of three, and stream a long one. */
async function handBack(reply: FastifyReply, answer: Dispatcher.ResponseData): Promise<FastifyReply> {
  const length = Number(answer.headers['content-length'] ?? Number.POSITIVE_INFINITY)
  const body = length <= ONE_PIECE_BYTES ? Buffer.from(await answer.body.arrayBuffer()) : answer.body
  return handBackHead(reply, answer).send(body)
}

function handBackHead(reply: FastifyReply, answer: Dispatcher.ResponseData): FastifyReply {
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined && !NOT_HANDED_BACK.has(name)) reply.header(name, value)
  }
  return reply.code(answer.statusCode)
}

/** The tenant that the call names in its `Keyferry-Workspace` header; null: the call has no such header.
 * The API checks that the person is a member.
 * @throws Refusal invalid: not one tenant id */
function namedTenant({ headers }: FastifyRequest): string | null {
  const named = WorkspaceHeaders.safeParse(headers)
  if (named.success) return named.data[WORKSPACE_HEADER] ?? null
  throw new Refusal(400, 'invalid', 'Keyferry-Workspace must be the id of one workspace')
}

/** The tenant that an answer names, or null. */
function tenantOfAnswer(text: string): string | null {
  const answer: unknown = JSON.parse(text)
  if (typeof answer !== 'object' || answer === null || !('tenant_id' in answer)) return null
  return typeof answer.tenant_id === 'string' ? answer.tenant_id : null
}

/** Whether the person is still a member of their current tenant. Asks the API as a member of the personal one. */
async function isMember(api: ApiConnection, person: Person): Promise<boolean> {
  const call = api.callFor({ userId: person.userId, tenantId: person.personalTenantId })
  return (await call('GET', '/api/v1/tenants')).some(({ id }) => id === person.tenantId)
}
