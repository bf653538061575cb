import { isIP } from 'node:net'
import type { Access } from '@keyferry/contract'
import { TIMES } from '@keyferry/contract'
import { verifyCaller } from '@keyferry/crypto/caller-signature'
import { verifyRequest } from '@keyferry/crypto/request-signature'
import { DomainError } from '../domain/errors.ts'
import type { SignedCaller } from '../domain/membership.ts'
import type { NonceStore } from './nonces.ts'

/** Headers as received: `[name, value, name, value …]`. */
type Facts = { method: string; url: string; rawHeaders: readonly string[]; body: Uint8Array }

export type SigningSettings = {
  sharedSecrets: readonly string[]
  requireSignatureV2: boolean
  nonces: NonceStore
  now(): Date
}

const IDENTITY_HEADERS = [
  'x-user-id',
  'x-tenant-id',
  'x-client-address',
  'x-signature',
  'x-signature-v2',
] as const
type IdentityHeader = (typeof IDENTITY_HEADERS)[number]
type IdentityHeaders = ReadonlyMap<string, string>

// Health checks sign nothing, so these two endpoints must answer them.
const UNSIGNED = new Set(['/healthz', '/readyz'])

/** Read who signed a call from its headers.
 * @returns the function that says so; null for a public call, whose claims nobody reads, and for one that the
 *   web-facing layer signs for itself */
export function signedHeaders(settings: SigningSettings) {
  return async function authenticate(facts: Facts, access: Access): Promise<SignedCaller | null> {
    const headers = identityHeaders(facts.rawHeaders)
    if (access === 'public' || access === 'dev') {
      if (settings.requireSignatureV2 && !UNSIGNED.has(facts.url)) await requireV2(headers, facts, settings)
      return null
    }
    if (access === 'layer') {
      if (headers.has('x-user-id') || headers.has('x-tenant-id')) throw unauthorized()
      await requireV2(headers, facts, settings)
      return null
    }
    const caller = { userId: required(headers, 'x-user-id'), tenantId: required(headers, 'x-tenant-id') }
    if (!verifyCaller(caller, required(headers, 'x-signature'), settings.sharedSecrets)) throw unauthorized()
    if (settings.requireSignatureV2 || headers.has('x-signature-v2'))
      await requireV2(headers, facts, settings)
    return caller
  }
}

/** Read the client's address from a call that a web node signed. A rate limit counts calls before anything else, so this
 * uses up no nonce: a repeated call counts for the same address again.
 * @returns the function that reads it; null for a call without a valid signature over an address */
export function signedAddress(settings: SigningSettings) {
  return (facts: Facts): string | null => {
    const headers = identityHeaders(facts.rawHeaders)
    const address = headers.get('x-client-address') ?? ''
    return isIP(address) !== 0 && verifiedV2(headers, facts, settings) ? address : null
  }
}

async function requireV2(headers: IdentityHeaders, facts: Facts, settings: SigningSettings): Promise<void> {
  const verified = verifiedV2(headers, facts, settings)
  // A time stamp may be one window ahead of this clock, so it stays valid for two windows.
  const seconds = 2 * TIMES.signatureWindowSeconds
  if (!verified || !(await settings.nonces.useOnce(verified.nonce, seconds))) throw unauthorized()
}

function verifiedV2(
  headers: IdentityHeaders,
  facts: Facts,
  settings: SigningSettings,
): { nonce: string } | null {
  const signed = {
    method: facts.method,
    path: facts.url,
    body: facts.body,
    clientAddress: headers.get('x-client-address') ?? '',
    userId: headers.get('x-user-id') ?? '',
    tenantId: headers.get('x-tenant-id') ?? '',
  }
  return verifyRequest(headers.get('x-signature-v2') ?? '', signed, {
    secrets: settings.sharedSecrets,
    nowSeconds: Math.floor(settings.now().getTime() / 1000),
    windowSeconds: TIMES.signatureWindowSeconds,
  })
}

// Some servers treat `_` as `-`, so headers that differ only by that count as the same.
function identityHeaders(rawHeaders: readonly string[]): IdentityHeaders {
  const found = new Map<string, string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase().replaceAll('_', '-')
    if (!IDENTITY_HEADERS.some((header) => header === name)) continue
    if (found.has(name)) throw unauthorized()
    found.set(name, rawHeaders[at + 1] ?? '')
  }
  return found
}

function required(headers: IdentityHeaders, name: IdentityHeader): string {
  const value = headers.get(name)
  if (value === undefined || value === '') throw unauthorized()
  return value
}

function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'Unauthorized')
}
