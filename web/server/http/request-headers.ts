import type { IncomingMessage } from 'node:http'
import { targetProblem } from '@keyferry/plumbing/http-server'
import type { FastifyRequest } from 'fastify'
import { Refusal, unauthorized } from './refusal.ts'

const IDENTITY_HEADERS = new Set([
  'x-user-id',
  'x-tenant-id',
  'x-client-address',
  'x-signature',
  'x-signature-v2',
])

/** The only headers of a caller that reach the API; all that this layer adds is set by name elsewhere. */
const HANDED_ON = ['accept', 'content-type', 'user-agent', 'x-poll-verifier'] as const

/** Refuse a request that carries two identity headers of one kind: somebody tries which of them is believed. A
 * single one is left behind like every header that is not handed on. Some servers read `_` as `-`, so it counts as one.
 * @param rawHeaders names and values in turn, as node:http gives them
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

/** @throws Refusal invalid: a target or Host header that a proxy may read in another way */
export function refuseStrangeTarget(raw: IncomingMessage): void {
  const problem = targetProblem(raw)
  if (problem !== null) throw new Refusal(400, 'invalid', problem)
}

/** What goes to the API with any call: the caller's harmless headers, its address as seen from here, and the id that
 * joins the log lines of both hops. */
export function headersToHandOn(request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = { 'x-forwarded-for': request.ip, 'x-request-id': request.id }
  for (const name of HANDED_ON) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}
