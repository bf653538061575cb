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

/** An id that names a record and keeps no secret: a UUID of version 7 (RFC 9562). It begins with the time, so that
 * records made together lie together in a database's indexes. */
export function randomId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/** Names one version of a stored record: 64 random bits as base64url. A counter would repeat itself on a promoted,
 * older replica. */
export function randomVersion(): string {
  return randomBytes(8).toString('base64url')
}
