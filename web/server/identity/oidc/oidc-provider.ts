import * as oidc from 'openid-client'
import { z } from 'zod'
import { unavailable } from '../../http/refusal.ts'
import type { OidcSettings } from '../../settings.ts'
import { isValidSubject } from '../idp-user-id.ts'
import { providerFetch } from '../provider-fetch.ts'
import { claimIn, groupsIn } from './group-claim.ts'
import { ATTEMPT_SECONDS, type SignInAttempt } from './sign-in-attempt.ts'
import { SignInError } from './sign-in-failure.ts'

const TIMEOUT_SECONDS = 10
const CLOCK_TOLERANCE_SECONDS = 5
const METADATA_MS = 60 * 60 * 1_000

/** What the provider says about a person who signed in there. */
export type OidcPerson = {
  subject: string
  email: string | null
  /** `null`: the provider does not say whether the address belongs to the person. */
  isEmailVerified: boolean | null
  /** Epoch seconds on the provider's clock. */
  issuedAtSeconds: number
  /** When the person last signed in there; `null`: the provider does not say. */
  authTimeSeconds: number | null
  /** What the claim is instead of groups; `null`: nothing asks for it. */
  groups: string[] | { found: string } | null
  providerSessionId: string | null
  idToken: string
}

/** Whether the person signed in for this attempt. A session that was left open at the provider proves nothing about who
 * sits here now. Not every provider says when the person signed in. */
export function isFresh(
  { authTimeSeconds }: Pick<OidcPerson, 'authTimeSeconds'>,
  { againSince }: Pick<SignInAttempt, 'againSince'>,
  nowMs: number,
): boolean {
  if (authTimeSeconds === null) return true
  const earliest = Math.max(Math.floor(nowMs / 1_000) - ATTEMPT_SECONDS, againSince ?? 0)
  return authTimeSeconds >= earliest - CLOCK_TOLERANCE_SECONDS
}

/** An OpenID Connect provider, described by its discovery document. Only sign-in and sign-out call it, so existing
 * sessions keep working while it is down. */
export class OidcProvider {
  readonly #settings: OidcSettings
  readonly #now: () => number
  #known: { metadata: Promise<oidc.Configuration>; untilMs: number } | null = null

  constructor(settings: OidcSettings, now: () => number) {
    this.#settings = settings
    this.#now = now
  }

  /** @throws Refusal unavailable */
  async metadata(): Promise<oidc.Configuration> {
    if (!this.#known || this.#known.untilMs <= this.#now()) {
      this.#known = { metadata: discover(this.#settings), untilMs: this.#now() + METADATA_MS }
    }
    try {
      return await this.#known.metadata
    } catch (cause) {
      this.#known = null
      throw unavailable('Identity provider', cause)
    }
  }

  /** @param prompt `create` asks for the provider's sign-up, where it has one; `login` asks for a new sign-in */
  async signInAddress(
    attempt: SignInAttempt,
    { redirectUri, prompt }: { redirectUri: string; prompt?: 'create' | 'login' },
  ): Promise<URL> {
    const config = await this.metadata()
    const prompts = config.serverMetadata()['prompt_values_supported']
    const isKnown = prompt === 'login' || (prompt && Array.isArray(prompts) && prompts.includes(prompt))
    return oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: ['openid profile email', ...this.#scopeOfGroups(config)].join(' '),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(attempt.codeVerifier),
      code_challenge_method: 'S256',
      ...(prompt && isKnown ? { prompt } : {}),
      ...(prompt === 'login' ? { max_age: '0' } : {}),
    })
  }

  // Some providers send the claim with a scope of its name alone.
  #scopeOfGroups(config: oidc.Configuration): string[] {
    const { groupsClaim } = this.#settings
    const known = config.serverMetadata().scopes_supported ?? []
    return groupsClaim !== undefined && known.includes(groupsClaim) ? [groupsClaim] : []
  }

  /** Redeem the code of a callback; this checks signature, issuer, audience, subject, times, state,
   * nonce and PKCE.
   * @param callback the whole address that the browser came back to
   * @throws the error of the check or of the provider; `signInFailure` names its reason */
  async redeem(callback: URL, attempt: SignInAttempt): Promise<OidcPerson> {
    const config = await this.metadata()
    const tokens = await oidc.authorizationCodeGrant(config, callback, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims || tokens.id_token === undefined) throw new Error('the provider sent no id token')
    requireAboutUs(claims, this.#settings.clientId)
    const { groupsClaim: name, absentIsNone = false } = this.#settings
    const isWhole = typeof claims['email'] === 'string' && (!name || claimIn(claims, name) !== undefined)
    const needsMore = !isWhole && config.serverMetadata().userinfo_endpoint
    const more = needsMore ? await userInfo(config, tokens.access_token, claims.sub) : {}
    const profile = typeof claims['email'] === 'string' ? claims : { ...more }
    const at = name !== undefined && claimIn(claims, name) === undefined ? { ...claims, ...more } : claims
    const groups = name === undefined ? null : groupsIn(at, { name, absentIsNone })
    return { ...personOf(claims, profile, tokens.id_token), groups }
  }

  /** Where the provider ends its own session; null when it has no such endpoint or is unavailable. */
  async signOutAddress(idToken: string | null, returnTo: string): Promise<string | null> {
    try {
      const config = await this.metadata()
      if (config.serverMetadata().end_session_endpoint === undefined) return null
      const hint: Record<string, string> = idToken === null ? {} : { id_token_hint: idToken }
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo, ...hint }).href
    } catch {
      return null
    }
  }
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<oidc.Configuration> {
  const isLoopbackHttp = issuer.startsWith('http:')
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
    timeout: TIMEOUT_SECONDS,
    execute: isLoopbackHttp ? [oidc.allowInsecureRequests] : [],
    [oidc.customFetch]: fetchDiscovery,
  })
  const server = found.serverMetadata()
  requireEndpoints(server, isLoopbackHttp)
  const config = new oidc.Configuration(
    server,
    clientId,
    { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    clientAuthentication(clientSecret, server.token_endpoint_auth_methods_supported),
  )
  config.timeout = TIMEOUT_SECONDS
  config[oidc.customFetch] = (address, { body, ...options }) =>
    providerFetch(address, { ...options, body: body ?? null })
  if (isLoopbackHttp) oidc.allowInsecureRequests(config)
  oidc.enableNonRepudiationChecks(config)
  return config
}

// Some providers serve the document only at the address with a slash at its end.
async function fetchDiscovery(address: string, options: oidc.CustomFetchOptions): Promise<Response> {
  const get = { ...options, body: null }
  const answer = await providerFetch(address, get)
  const isElsewhere = answer.status === 404 || (answer.status >= 300 && answer.status < 400)
  return isElsewhere ? await providerFetch(`${address}/`, get) : answer
}

async function userInfo(config: oidc.Configuration, accessToken: string, subject: string) {
  try {
    return await oidc.fetchUserInfo(config, accessToken, subject)
  } catch (cause) {
    throw new SignInError('userinfo_failed', { cause })
  }
}

/** @throws Error naming the endpoint that is missing or invalid in the discovery document */
function requireEndpoints(server: oidc.ServerMetadata, isLoopbackHttp: boolean): void {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const scheme = URL.parse(server[name] ?? '')?.protocol
    const isUsable = scheme === 'https:' || (isLoopbackHttp && scheme === 'http:')
    if (!isUsable) throw new Error(`the discovery document has no usable ${name}`)
  }
}

// The library compares `azp` only if the token has several audiences, and takes any text as a subject.
function requireAboutUs({ sub, azp }: oidc.IDToken, clientId: string): void {
  if (azp !== undefined && azp !== clientId) throw new SignInError('wrong_audience')
  if (!isValidSubject(sub)) throw new SignInError('unusable_subject')
}

/** @param told where the e-mail address is, and so whether it is verified */
function personOf(
  claims: oidc.IDToken,
  profile: Record<string, unknown>,
  idToken: string,
): Omit<OidcPerson, 'groups'> {
  return {
    subject: claims.sub,
    email: textOrNull(profile['email']),
    isEmailVerified: truthOf(profile['email_verified']),
    issuedAtSeconds: claims.iat,
    authTimeSeconds: claims.auth_time ?? null,
    providerSessionId: textOrNull(claims['sid']),
    idToken,
  }
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

// Some providers send booleans as text or as numbers.
function truthOf(claim: unknown): boolean | null {
  return z.stringbool().safeParse(String(claim)).data ?? null
}

/** How this server proves to the token endpoint which client it is.
 * @param secret `null`: a public client
 * @param supported the methods that the discovery document lists */
function clientAuthentication(
  secret: string | null,
  supported: readonly string[] | undefined,
): oidc.ClientAuth {
  if (secret === null) return oidc.None()
  // Prefer the body: its encoding is clear, while providers disagree on how Basic encodes a secret.
  return supported?.includes('client_secret_post') ? oidc.ClientSecretPost(secret) : basic(secret)
}

/** HTTP Basic as in RFC 6749, but `-`, `_`, `.` and `~` stay unencoded, so that providers that decode the secret and
 * providers that do not both read it. */
function basic(secret: string): oidc.ClientAuth {
  return (_server, client, _body, headers) => {
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}

function formEncoded(text: string): string {
  const escaped = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return escaped.replaceAll('%20', '+')
}
