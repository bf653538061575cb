import type { CryptoKey, JSONWebKeySet, JWTPayload, JWTVerifyOptions } from 'jose'
import type { IdTokenProblem, IdTokens, KeySet } from '../domain/id-token.ts'
import type { Claims } from '../domain/trusted-claims.ts'
import type { IssuerKeys } from './issuer-keys.ts'

/** Longer than any issuer's; it travels with the other headers, which have 16 KiB together. */
const MAX_TOKEN = 12 * 1_024
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
/** Issuers' clocks run ahead, so a token may come from the near future. */
const TOLERANCE_SECONDS = 60

/** ID tokens verified with `jose`, which is loaded with the first of them. */
export function createIdTokens(issuerKeys: IssuerKeys, now: () => Date): IdTokens {
  return {
    issuerOf,
    async verify(token, { issuer, keys }) {
      if (keys !== null) return known(await outcomeOf(token, { issuer, keys, now }))
      const found = await issuerKeys.of(issuer)
      if (found === null) return 'issuer_unavailable'
      const outcome = await outcomeOf(token, { issuer, keys: found, now })
      if (outcome !== 'unknown_key') return outcome
      const fresh = await issuerKeys.again(issuer)
      return fresh === null ? 'invalid' : known(await outcomeOf(token, { issuer, keys: fresh, now }))
    },
  }
}

// Read by hand, because this comes before anything is verified: a text of three parts whose first two are JSON.
function issuerOf(token: string): string | null {
  if (token.length > MAX_TOKEN || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return null
  const [header, payload] = token.split('.').slice(0, 2).map(parsed)
  if (!header || !payload) return null
  const { typ = 'JWT', alg } = header
  if (typeof typ !== 'string' || typ.toUpperCase() !== 'JWT') return null
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) return null
  return typeof payload['iss'] === 'string' ? payload['iss'] : null
}

function parsed(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

type IssuerParts = { issuer: string; keys: KeySet; now: () => Date }

async function outcomeOf(token: string, { issuer, keys, now }: IssuerParts) {
  const jose = await import('jose')
  try {
    const payload = await payloadOf(token, jwksOf(keys), {
      issuer,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: now(),
      requiredClaims: ['exp', 'iat', 'sub'],
    })
    return isFromTheFuture(payload, now()) ? 'invalid' : payload
  } catch (error) {
    if (error instanceof jose.errors.JWTExpired) return 'expired'
    return error instanceof jose.errors.JWKSNoMatchingKey ? 'unknown_key' : 'invalid'
  }
}

async function payloadOf(token: string, keys: JSONWebKeySet, options: JWTVerifyOptions): Promise<JWTPayload> {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose')
  try {
    return (await jwtVerify(token, createLocalJWKSet(keys), options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    // The token names no key, or several have its id: the one that verifies it counts.
    for await (const key of error) {
      const payload = await payloadBy(token, key, options)
      if (payload !== null) return payload
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

async function payloadBy(token: string, key: CryptoKey, options: JWTVerifyOptions) {
  const { errors, jwtVerify } = await import('jose')
  try {
    return (await jwtVerify(token, key, options)).payload
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return null
    throw error
  }
}

function known(outcome: Claims | 'invalid' | 'expired' | 'unknown_key'): Claims | IdTokenProblem {
  return outcome === 'unknown_key' ? 'invalid' : outcome
}

function isFromTheFuture({ iat = 0 }: JWTPayload, now: Date): boolean {
  return iat > now.getTime() / 1_000 + TOLERANCE_SECONDS
}

// A symmetric key in a set would let anyone who knows the set sign; the list of algorithms excludes it, and so does
// this.
function jwksOf({ keys }: KeySet): JSONWebKeySet {
  const usable = keys.filter((key) => key['kty'] !== 'oct')
  return { keys: usable.map((key) => ({ ...key, kty: String(key['kty']) })) }
}
