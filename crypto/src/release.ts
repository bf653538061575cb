import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { frame } from './frame.ts'

/*
 * What an approver's page carries back to the terminal. The server keeps a hash; the hash of a code could be guessed,
 * but it stays in the request store for two minutes and three attempts.
 */

const SECRET_BYTES = 32
const CODES = 1_000_000

/** What goes over loopback: base64url of 32 random bytes, 43 characters. */
export function createReleaseSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** What a person types: six random digits, as `482 913`. */
export function createReleaseCode(): string {
  const digits = randomInt(CODES).toString().padStart(6, '0')
  return `${digits.slice(0, 3)} ${digits.slice(3)}`
}

/** The form in which a secret or a code is stored: 64 lower-case hex digits. Blanks and dashes in a code do not count.
 * @throws CryptoError bad_text: a lone surrogate */
export function releaseHash(requestId: string, { by, secret }: { by: string; secret: string }): string {
  const text = by === 'code' ? secret.replaceAll(/[\s-]/g, '') : secret
  return hash('sha256', frame('keyferry release v1', requestId, by, text), 'hex')
}

/** Whether two release hashes are the same, in constant time. */
export function isSameReleaseHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
