import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import { z } from 'zod'
import type { SessionFilter } from '../../sessions/session-store.ts'
import type { OidcSettings } from '../../settings.ts'
import { idpUserId, isValidSubject } from '../idp-user-id.ts'
import { providerFetch } from '../provider-fetch.ts'
import type { OidcProvider } from './oidc-provider.ts'

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const MAX_AGE = '5m'
const CLOCK_TOLERANCE_SECONDS = 5

const LogoutClaims = z
  .object({
    iat: z.number(),
    jti: z.string().min(1),
    sub: z.string().refine(isValidSubject).optional(),
    sid: z.string().min(1).optional(),
    events: z.object({ [LOGOUT_EVENT]: z.object({}) }),
    nonce: z.undefined().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined)

/** Reads logout tokens (OpenID Connect Back-Channel Logout 1.0) of one provider. */
export class LogoutTokens {
  readonly #settings: OidcSettings
  readonly #provider: OidcProvider
  #keySet: { uri: string; keys: ReturnType<typeof createRemoteJWKSet> } | null = null

  constructor(settings: OidcSettings, provider: OidcProvider) {
    this.#settings = settings
    this.#provider = provider
  }

  /** @returns whose sessions the provider wants ended
   * @throws Error: the token is not valid · Refusal unavailable */
  async read(token: string, now: Date): Promise<{ ending: SessionFilter; jti: string }> {
    const { issuer, jwks_uri: keySet } = (await this.#provider.metadata()).serverMetadata()
    const { payload } = await jwtVerify(token, this.#keysAt(keySet), {
      issuer,
      audience: this.#settings.clientId,
      maxTokenAge: MAX_AGE,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now,
    })
    const { iat, jti, sub, sid } = LogoutClaims.parse(payload)
    if (sid !== undefined) return { ending: { providerSessionId: sid }, jti }
    // `iat` has whole seconds only. A person who signs in right after this order keeps the new session.
    const beforeMs = (iat + 1) * 1_000
    return { ending: { idpUserId: idpUserId(issuer, sub ?? ''), beforeMs }, jti }
  }

  #keysAt(uri: string | undefined): ReturnType<typeof createRemoteJWKSet> {
    if (uri === undefined) throw new Error('the provider names no key set')
    const fetching = { [customFetch]: providerFetch }
    if (this.#keySet?.uri !== uri) this.#keySet = { uri, keys: createRemoteJWKSet(new URL(uri), fetching) }
    return this.#keySet.keys
  }
}
