import type { IncomingMessage } from 'node:http'
import { targetProblem } from '@keyferry/plumbing/http-server'
import type { FastifyRequest } from 'fastify'
import { Refusal, unauthorized } from './refusal.ts'

const IDENTITY_HEADERS = new Set([
  'x-user-id',
  'x-tenant-id',
  'x-client-address',
  'x-signed-in-at',
  'x-session-epoch',
  'x-signature',
  'x-signature-v2',
  'authorization',
])

/** The only headers of a caller that reach the API. */
const HANDED_ON = [
  'accept',
  'content-type',
  'user-agent',
  'x-poll-verifier',
  'keyferry-touch',
  'traceparent',
  'tracestate',
] as const

/** Refuse a request that carries the same identity header twice, to find out which one is trusted. A single one
 * is dropped, as every header that is not listed above. Some servers treat `_` as `-`, so the two count as the same.
 * @param rawHeaders names and values in turn, as in `node:http`
 * @throws Refusal unauthorized */
export function refuseDoubledIdentity(rawHeaders: readonly string[]): void {
  const seen = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase().replaceAll('_', '-')
    if (!IDENTITY_HEADERS.has(name)) continue
    if (seen.has(name)) throw unauthorized()
    seen.add(name)
  }
}

/** @throws Refusal invalid: a target or Host header that a proxy may read differently */
export function refuseStrangeTarget(raw: IncomingMessage): void {
  const problem = targetProblem(raw)
  if (problem !== null) throw new Refusal(400, 'invalid', problem)
}

/** Who a call of this layer is made for: the address as this layer sees it, and the browser. Headers of a body are left
 * out, because the call has another body. */
export function callerHeaders(request: FastifyRequest): Record<string, string> {
  const browser = request.headers['user-agent']
  return {
    'x-forwarded-for': request.clientAddress,
    'x-request-id': request.id,
    ...(browser === undefined ? {} : { 'user-agent': browser }),
  }
}

/** Whether a call carries a bearer token. */
export function hasBearer({ headers }: FastifyRequest): boolean {
  return /^bearer\s/i.test(headers.authorization ?? '')
}

/** The header of a program, only for rows that programs may call. */
export function bearerToHandOn(request: FastifyRequest): Record<string, string> {
  const { authorization } = request.headers
  return authorization !== undefined && hasBearer(request) ? { authorization } : {}
}

/** The headers that go to the API with each call: the caller's harmless headers, its address as this layer sees it, and
 * the id that connects the log lines of both layers. */
export function headersToHandOn(request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = {
    'x-forwarded-for': request.clientAddress,
    'x-request-id': request.id,
  }
  for (const name of HANDED_ON) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}
