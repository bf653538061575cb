import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import { frame } from './frame.ts'

/** The hash before the first entry: 64 zeros. */
export const CHAIN_START = '0'.repeat(64)

/** The hash of an entry: SHA-256 of the hash before it, a line feed, and the exact text of the entry.
 * @returns 64 lower-case hex digits */
export function chainHash(previous: string, line: string): string {
  return hash('sha256', `${previous}\n${line}`, 'hex')
}

/** What an event keeps of its origin, so that the origin can be erased: SHA-256 of its exact text, 64 hex digits. */
export function originHash(origin: string): string {
  return hash('sha256', origin, 'hex')
}

/** An event before it is numbered: `body` and `origin` are its exact texts. */
export type OutboxEvent = {
  readonly tenantId: string
  readonly body: string
  readonly origin: string | null
}

/** HMAC-SHA256 that only a process with the root key can make.
 * @returns 32 bytes */
export function eventMac({ tenantId, body, origin }: OutboxEvent, key: KeyObject): Uint8Array {
  const framed = frame('keyferry event v1', tenantId, body, origin ?? '')
  return createHmac('sha256', key).update(framed).digest()
}

export function isEventMac(mac: Uint8Array, event: OutboxEvent, key: KeyObject): boolean {
  const expected = eventMac(event, key)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}
