import type { Claims } from './trusted-claims.ts'

/** Why an ID token proves nothing. `expired`: its signature is valid. */
export type IdTokenProblem = 'invalid' | 'expired' | 'issuer_unavailable'

export type KeySet = { keys: readonly Record<string, unknown>[] }

/** Reads the ID tokens of other services (OpenID Connect). */
export interface IdTokens {
  /** The issuer that a text claims, before anything is verified; null for what is no ID token of an allowed form. */
  issuerOf(token: string): string | null
  /** The claims of a token with a valid signature of this issuer and valid times.
   * @param keys the issuer's keys; null: those that its discovery document leads to */
  verify(token: string, issuer: { issuer: string; keys: KeySet | null }): Promise<Claims | IdTokenProblem>
}
