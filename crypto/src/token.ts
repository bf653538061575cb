import { hash, randomBytes, randomUUID } from 'node:crypto'

/** A bearer secret (session, invitation): 256 random bits as base64url, 43 characters. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The form in which a token is stored and looked up: its SHA-256, 64 lower-case hex digits. A token is random
 * enough that a plain hash suffices. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

/** An id that cannot be guessed: 128 random bits as 32 lower-case hex digits, which no URL or shell changes. */
export function randomRequestId(): string {
  return randomBytes(16).toString('hex')
}

/** An id that names a record and keeps no secret: a random UUID. */
export function randomId(): string {
  return randomUUID()
}

/** Names one version of a stored record: 64 random bits as base64url. A counter would repeat itself on a promoted,
 * older replica. */
export function randomVersion(): string {
  return randomBytes(8).toString('base64url')
}
