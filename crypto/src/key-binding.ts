import { hash } from 'node:crypto'

/** What the audience of an ID token names to be bound to a client's public key: the key's SHA-256 as base64url, 43
 * characters. */
export function keyBinding(publicKey: Uint8Array): string {
  return hash('sha256', publicKey, 'base64url')
}
