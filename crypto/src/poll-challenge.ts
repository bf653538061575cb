import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { decodeBase64 } from './base64.ts'
import { CryptoError } from './crypto-error.ts'

const VERIFIER_BYTES = 32
const BASE64URL_OF_32_BYTES = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

/** What only the client that made a request knows: base64url of 32 random bytes, 43 characters. */
export function generatePollVerifier(): string {
  return randomBytes(VERIFIER_BYTES).toString('base64url')
}

/** The SHA-256 of the verifier's 32 bytes (not of its text), as base64url, 43 characters.
 * @throws CryptoError bad_poll_verifier: not base64url of 32 bytes */
export function pollChallenge(verifier: string): string {
  if (!isPollChallenge(verifier))
    throw new CryptoError('bad_poll_verifier', 'verifier is not 32 bytes of base64url')
  return hash('sha256', decodeBase64(verifier), 'base64url')
}

/** Whether a text can be a challenge or a verifier at all: base64url of 32 bytes, without padding. */
export function isPollChallenge(text: string): boolean {
  return BASE64URL_OF_32_BYTES.test(text)
}

/** Whether `verifier` is the one behind `challenge`, in constant time; false for what is malformed. */
export function verifierMatches(challenge: string, verifier: string): boolean {
  if (!isPollChallenge(challenge) || !isPollChallenge(verifier)) return false
  return timingSafeEqual(Buffer.from(challenge), Buffer.from(pollChallenge(verifier)))
}
