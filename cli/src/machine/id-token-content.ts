import { parseObject } from '../base/shape.ts'

/** What an ID token says. Nothing is verified: that is the server's task. */
export type IdTokenContent = {
  readonly issuer: string
  /** All audiences, separated by commas. */
  readonly audience: string
  /** Seconds since 1970; null if it names no expiry. */
  readonly expiresAt: number | null
  /** The other claims with a text, a number or a truth value, except personal ones. */
  readonly claims: readonly (readonly [name: string, text: string])[]
}

/** @returns null for a text that is no ID token */
export function readIdToken(token: string): IdTokenContent | null {
  const payload = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  if (payload === null || typeof payload['iss'] !== 'string') return null
  const { iss, aud, exp, ...others } = payload
  return {
    issuer: iss,
    audience: [aud].flat().map(String).join(', '),
    expiresAt: typeof exp === 'number' ? exp : null,
    claims: Object.entries(others).flatMap(([name, claim]) =>
      isShown(name, claim) ? [[name, String(claim)] as const] : [],
    ),
  }
}

const UNWANTED = new Set(['iat', 'nbf', 'jti'])

// The log of a job may be public.
function isShown(name: string, claim: unknown): boolean {
  return (
    !UNWANTED.has(name) && !name.includes('email') && ['string', 'number', 'boolean'].includes(typeof claim)
  )
}
