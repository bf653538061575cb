import { isLoopback } from '@keyferry/plumbing/loopback'
import type { FastifyRequest } from 'fastify'
import { forbidden, Refusal, type RefusalNote } from './refusal.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** `publicUrl`: our origin. `openToLoopback`: there is no sign-in; being on this machine is the only credential. */
export type OriginRules = { readonly publicUrl: string; readonly openToLoopback: boolean }

/** Refuse a request that another site's page sends to the server on the reader's machine: through a host name that the
 * site points at 127.0.0.1 (DNS rebinding), or directly from the site's origin.
 * @throws Refusal forbidden */
export function requireOwnHost(request: FastifyRequest, rules: OriginRules): void {
  if (!isOwnHost(request.headers.host ?? '', rules))
    throw forbidden('Forbidden: unknown Host', { note: ownAddress(rules) })
  const { origin } = request.headers
  if (origin !== undefined && !isOwnOrigin(request, rules)) throw forbidden('Forbidden: foreign Origin')
}

function ownAddress({ publicUrl }: OriginRules): RefusalNote {
  return {
    title: 'Not the address of this server',
    text: 'This server has no sign-in, so it answers only on this machine and only under the names of this machine.',
    way: { kind: 'link', label: `Open ${publicUrl}`, path: publicUrl },
  }
}

/** Refuse a call that another site's page makes with the person's cookie.
 * @throws Refusal forbidden; invalid (a body that is not JSON) */
export function requireSameOrigin(request: FastifyRequest, rules: OriginRules): void {
  if (!isSameOrigin(request, rules)) throw forbidden('Forbidden: cross-site request')
  const isJson = /^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')
  if (hasBody(request) && !isJson) throw new Refusal(415, 'invalid', 'Content-Type must be application/json')
}

function isSameOrigin(request: FastifyRequest, rules: OriginRules): boolean {
  const isRead = READS.has(request.method)
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || (isRead && site === 'none')
  if (request.headers.origin !== undefined) return isOwnOrigin(request, rules)
  return isRead || rules.openToLoopback
}

function isOwnOrigin(request: FastifyRequest, rules: OriginRules): boolean {
  const { origin, host = '' } = request.headers
  return origin === rules.publicUrl || (rules.openToLoopback && origin === `http://${host}`)
}

function isOwnHost(host: string, rules: OriginRules): boolean {
  if (host.toLowerCase() === new URL(rules.publicUrl).host) return true
  return isLoopback(host.replace(/:\d{1,5}$/, ''))
}

function hasBody(request: FastifyRequest): boolean {
  const length = request.headers['content-length']
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}
