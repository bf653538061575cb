import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RootKey, RootKeyRing } from './root-key.ts'

const KEY_BYTES = 32
const TOKEN_CHARACTERS = 43

/** The token of an invitation, which all nodes that share a root key derive, so that none is stored for the mail.
 * @returns 43 characters, base64url */
export function invitationToken(rootKey: RootKey, invitationId: string): string {
  return derived(rootKey, 'keyferry invitation v1', invitationId)
}

/** The token as only its mail has it: its use proves that the person reads the address, because the inviter knows
 * the plain token alone.
 * @returns 86 characters, base64url */
export function mailedToken(rootKey: RootKey, token: string): string {
  return token + derived(rootKey, 'keyferry mailed invitation v1', token)
}

/** What only a mail to an address has: its use proves that this person reads the address.
 * @param addressKey the address in the form that is compared
 * @returns 43 characters, base64url */
export function addressToken(rootKey: RootKey, userId: string, addressKey: string): string {
  return derived(rootKey, 'keyferry proven address v1', `${userId} ${addressKey}`)
}

/** @param ring a mail can be older than its newest key */
export function isAddressToken(
  ring: RootKeyRing,
  sent: string,
  [userId, addressKey]: [string, string],
): boolean {
  return ring.keys.some((rootKey) => isEqual(addressToken(rootKey, userId, addressKey), sent))
}

/** The token of an invitation that somebody used, and whether it comes from the mail. */
export type UsedToken = { token: string; isMailed: boolean }

/** @param ring a mail can be older than its newest key */
export function usedToken(ring: RootKeyRing, sent: string): UsedToken {
  const token = sent.slice(0, TOKEN_CHARACTERS)
  const isMailed = ring.keys.some((rootKey) => isEqual(mailedToken(rootKey, token), sent))
  return { token: isMailed ? token : sent, isMailed }
}

function derived(rootKey: RootKey, purpose: string, text: string): string {
  const key = hkdfSync('sha256', rootKey.bytes, '', purpose, KEY_BYTES)
  return createHmac('sha256', new Uint8Array(key)).update(text).digest('base64url')
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
