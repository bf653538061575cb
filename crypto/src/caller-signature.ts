import { createHmac, timingSafeEqual } from 'node:crypto'
import { CryptoError } from './crypto-error.ts'

/** Who calls: the ids of a user and of the tenant acted in. */
export type CallerIds = { readonly userId: string; readonly tenantId: string }

const SIGNATURE = /^(?:sha256=)?([0-9a-f]{64})$/i

/** HMAC-SHA256 over `<user_id>:<tenant_id>`.
 * @returns 64 lower-case hex digits, without a prefix
 * @throws CryptoError bad_caller: a colon in the user id, which would let one text name two callers */
export function signCaller(caller: CallerIds, secret: string): string {
  if (isAmbiguous(caller)) throw new CryptoError('bad_caller', 'user id holds a colon')
  return digestOf(caller, secret).toString('hex')
}

/** Whether `header` (`sha256=<hex>` or bare hex) is this caller's signature under one of the secrets.
 * Takes as long for a wrong signature as for a right one. */
export function verifyCaller(caller: CallerIds, header: string, secrets: readonly string[]): boolean {
  const given = SIGNATURE.exec(header)?.[1]
  if (given === undefined || isAmbiguous(caller)) return false
  const bytes = Buffer.from(given, 'hex')
  return secrets.map((secret) => timingSafeEqual(digestOf(caller, secret), bytes)).includes(true)
}

function isAmbiguous(caller: CallerIds): boolean {
  return caller.userId.includes(':')
}

function digestOf({ userId, tenantId }: CallerIds, secret: string): Buffer {
  return createHmac('sha256', secret).update(`${userId}:${tenantId}`).digest()
}
