import { TIMES } from '@keyferry/contract'
import { DomainError } from '../../domain/base/errors.ts'
import type { MachineToken } from './machine.ts'

/*
 * A token proves a machine. It is shown once and stored as a hash, always expires, and may be bound to networks.
 * Rotating makes a second one with the same networks and lifetime, and lets the old one expire after an overlap.
 * Anyone who has a token may end it, to report a leak. With MACHINE_TOKENS=0 no token is created or accepted.
 */

/** The time some seconds after another; both ISO timestamps. */
export function secondsAfter(time: string, seconds: number): string {
  return new Date(Date.parse(time) + seconds * 1_000).toISOString()
}

/** When a token should be rotated: two weeks before it expires, or halfway through a shorter life. ISO timestamp. */
export function rotationOf(expiresAt: string, lifetimeSeconds: number): string {
  return secondsAfter(expiresAt, -Math.min(TIMES.expiringSeconds, Math.floor(lifetimeSeconds / 2)))
}

type TokenLife = Pick<MachineToken, 'expires_at' | 'lifetime_seconds' | 'ended_at'>

/** Why a token should be replaced at this time, or null. An ended token needs no replacement. */
export function tokenDue(token: TokenLife, now: Date): 'expired' | 'expiring' | null {
  const { expires_at, lifetime_seconds, ended_at } = token
  const at = now.toISOString()
  if (ended_at !== null) return null
  if (expires_at <= at) return 'expired'
  return rotationOf(expires_at, lifetime_seconds) <= at ? 'expiring' : null
}

export const TOKENS_OFF = 'this server accepts no machine tokens (MACHINE_TOKENS=0)'

/** @throws DomainError tokens_off */
export function requireTokens({ tokensAllowed }: { tokensAllowed: boolean }): void {
  if (!tokensAllowed) throw new DomainError('tokens_off', TOKENS_OFF)
}

export function tokenNotFound(): DomainError {
  return new DomainError('not_found', 'the machine has no such token, or it has ended')
}
