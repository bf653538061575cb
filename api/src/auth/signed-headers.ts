import { isIP } from 'node:net'
import { type Access, TIMES } from '@keyferry/contract'
import { verifyCaller } from '@keyferry/crypto/caller-signature'
import { verifyRequest } from '@keyferry/crypto/request-signature'
import { DomainError } from '../domain/base/errors.ts'
import type { SignedCaller } from '../domain/people/membership.ts'
import type { NonceStore } from './nonces.ts'

/** Headers as received: `[name, value, name, value …]`. */
type CallFacts = { method: string; url: string; rawHeaders: readonly string[]; body: Uint8Array }

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
  'x-signed-in-at',
  'x-session-epoch',
  'x-signature',
  'x-signature-v2',
] as const
type IdentityHeader = (typeof IDENTITY_HEADERS)[number]
type IdentityHeaders = ReadonlyMap<string, string>

// Health checks sign nothing, so these two endpoints must answer them.
const UNSIGNED = new Set(['/healthz', '/readyz'])

/** What the headers of one call say about its signer. Verifies the signature over the whole call once at most. */
export class SignedCall {
  readonly #facts: CallFacts
  readonly #settings: SigningSettings
  readonly #headers: IdentityHeaders
  #verified: { nonce: string } | null | undefined

  constructor(facts: CallFacts, settings: SigningSettings) {
    this.#facts = facts
    this.#settings = settings
    this.#headers = identityHeaders(facts.rawHeaders)
  }

  /** The client's address that a web node signed; null for a call without a valid signature over an address. A rate
   * limit counts calls before anything else, so this uses up no nonce: a repeated call counts for the same address
   * again. */
  get clientAddress(): string | null {
    const address = this.#headers.get('x-client-address') ?? ''
    return isIP(address) !== 0 && this.#verify() ? address : null
  }

  /** When the caller last signed in, in epoch seconds; null: a web node did not sign that. */
  get signedInSeconds(): number | null {
    return this.#numberIn('x-signed-in-at')
  }

  /** The epoch that the caller's session began in; null: a web node did not sign that. */
  get epoch(): number | null {
    return this.#numberIn('x-session-epoch')
  }

  #numberIn(header: IdentityHeader): number | null {
    const digits = this.#headers.get(header) ?? ''
    return /^\d{1,15}$/.test(digits) && this.#verify() ? Number(digits) : null
  }

  /** Who signed the call.
   * @returns null for a public call and a program's, whose claims are ignored; `layer` for a call that the web-facing
   *   layer signs for itself
   * @throws DomainError unauthorized */
  async authenticate(access: Access): Promise<SignedCaller | 'layer' | null> {
    const headers = this.#headers
    const { requireSignatureV2, sharedSecrets } = this.#settings
    if (access === 'public' || access === 'dev' || access === 'program') {
      if (requireSignatureV2 && !UNSIGNED.has(this.#facts.url)) await this.#requireV2()
      return null
    }
    if (access === 'public_or_layer' && !requireSignatureV2 && !headers.has('x-signature-v2')) return null
    if (access === 'layer' || access === 'public_or_layer') {
      if (headers.has('x-user-id') || headers.has('x-tenant-id')) throw unauthorized()
      await this.#requireV2()
      return 'layer'
    }
    const caller = { userId: required(headers, 'x-user-id'), tenantId: required(headers, 'x-tenant-id') }
    if (!verifyCaller(caller, required(headers, 'x-signature'), sharedSecrets)) throw unauthorized()
    if (requireSignatureV2 || headers.has('x-signature-v2')) await this.#requireV2()
    return caller
  }

  async #requireV2(): Promise<void> {
    const verified = this.#verify()
    // A time stamp may be one window ahead of this clock, so it stays valid for two windows.
    const seconds = 2 * TIMES.signatureWindowSeconds
    if (!verified || !(await this.#settings.nonces.useOnce(verified.nonce, seconds))) throw unauthorized()
  }

  #verify(): { nonce: string } | null {
    if (this.#verified === undefined) this.#verified = verifiedV2(this.#headers, this.#facts, this.#settings)
    return this.#verified
  }
}

function verifiedV2(headers: IdentityHeaders, facts: CallFacts, settings: SigningSettings) {
  const signed = {
    method: facts.method,
    path: facts.url,
    body: facts.body,
    clientAddress: headers.get('x-client-address') ?? '',
    userId: headers.get('x-user-id') ?? '',
    tenantId: headers.get('x-tenant-id') ?? '',
    signedInAt: headers.get('x-signed-in-at') ?? '',
    epoch: headers.get('x-session-epoch') ?? '',
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
