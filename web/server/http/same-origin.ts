import { isLoopback } from '@keyferry/plumbing/loopback'
import type { FastifyRequest } from 'fastify'
import { forbidden, type Note, Refusal } from './refusal.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** `publicUrl`: our origin. `openToLoopback`: nobody signs in, so that being on this machine is the only credential. */
export type OriginRules = { readonly publicUrl: string; readonly openToLoopback: boolean }

/** Refuse a request that a foreign page aims at a server on its reader's own machine: by a name that the page's owner
 * points at 127.0.0.1 (DNS rebinding), or straight from the page's origin.
 * @throws Refusal forbidden */
export function requireOwnHost(request: FastifyRequest, rules: OriginRules): void {
  if (!isOwnHost(request.headers.host ?? '', rules))
    throw forbidden('Forbidden: unknown Host', { note: ownAddress(rules) })
  const { origin } = request.headers
  if (origin !== undefined && !isOwnOrigin(request, rules)) throw forbidden('Forbidden: foreign Origin')
}

function ownAddress({ publicUrl }: OriginRules): Note {
  return {
    title: 'Not the address of this server',
    text: 'Nobody signs in here, so this server answers on its own machine alone, and to the names of that machine.',
    way: { kind: 'link', label: `Open ${publicUrl}`, path: publicUrl },
  }
}

/** Refuse a call made with somebody's cookie from a page that is not ours.
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
