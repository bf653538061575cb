import { createRemoteJWKSet, customFetch, importSPKI, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { z } from 'zod'
import type { ClerkSettings } from '../../settings.ts'
import { isUsableSubject } from '../idp-user-id.ts'
import { providerFetch } from '../provider-fetch.ts'
import type { ClerkEmail } from './clerk-backend.ts'

const CLOCK_TOLERANCE_SECONDS = 5
const KEY_SET_COOLDOWN_MS = 5_000
const KEY_SET_MS = 60 * 60 * 1_000

const TokenClaims = z.object({
  sub: z.string().refine(isUsableSubject),
  sid: z.string().min(1).max(256),
  azp: z.string().min(1),
  exp: z.number(),
  iat: z.number().optional(),
  nbf: z.number(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
})

/** Who a session token is about. */
export type ClerkSession = {
  subject: string
  sessionId: string
  /** Null if the token has none. */
  email: ClerkEmail | null
  /** Epoch seconds on the provider's clock. */
  issuedAtSeconds: number
}

/** Reads the provider's short-lived session tokens with the configured key, or with the issuer's key set, which it
 * fetches again when a key is unknown. */
export class ClerkTokens {
  readonly #settings: ClerkSettings
  readonly #keys: JWTVerifyGetKey

  constructor(settings: ClerkSettings) {
    this.#settings = settings
    this.#keys = settings.jwtKey === null ? keySetOf(settings.issuer) : fixedKey(settings.jwtKey)
  }

  /** @returns null if the token is not valid */
  async read(token: string, now: Date): Promise<ClerkSession | null> {
    const { issuer, authorizedParties } = this.#settings
    const options = {
      issuer,
      algorithms: ['RS256'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now,
    }
    const verified = await jwtVerify(token, this.#keys, options).catch(() => null)
    const claims = TokenClaims.safeParse(verified?.payload)
    if (!claims.success || !authorizedParties.includes(claims.data.azp)) return null
    const { sub: subject, sid: sessionId, iat, nbf, email, email_verified } = claims.data
    const provided = email === undefined ? null : { address: email, isVerified: email_verified === true }
    return { subject, sessionId, email: provided, issuedAtSeconds: iat ?? nbf }
  }
}

function keySetOf(issuer: string): JWTVerifyGetKey {
  const address = new URL(`${issuer.replace(/\/$/, '')}/.well-known/jwks.json`)
  const times = { cooldownDuration: KEY_SET_COOLDOWN_MS, cacheMaxAge: KEY_SET_MS }
  return createRemoteJWKSet(address, { ...times, [customFetch]: providerFetch })
}

function fixedKey(pem: string): JWTVerifyGetKey {
  const key = importSPKI(pem, 'RS256')
  return async () => await key
}
