import { LIMITS, TIMES } from '@keyferry/contract'
import { makeMachineToken, tokenHint } from '@keyferry/crypto/machine-token'
import { hashToken } from '@keyferry/crypto/token'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { parseNetworks } from '../base/network.ts'
import type { Origin } from '../base/origin.ts'
import { type Moment, type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import type { MachineToken } from './machine.ts'

/*
 * A token proves a machine. It is shown once and stored as a hash, always expires, and may be bound to networks.
 * Rotating makes a second one with the same networks and lifetime, and lets the old one expire after an overlap.
 * Anyone who has a token may end it, to report a leak. With MACHINE_TOKENS=0 no token is created or accepted.
 */

export type NewToken = Pick<MachineToken, 'id' | 'hint' | 'networks' | 'expires_at'> & {
  machineId: string
  tokenHash: string
  lifetimeSeconds: number
}

export type TokenPlace = { machineId: string; tokenId: string }

export interface MachineTokenStore {
  /** @throws DomainError not_found (the machine) · conflict (too many tokens that work) */
  insert(token: NewToken, stamp: Stamp): Promise<void>
  /** Makes a second token with the networks and the lifetime of a token that works, and ends that one after the
   * overlap.
   * @throws DomainError not_found (no such token that works) · conflict (too many tokens) */
  rotate(rotation: TokenRotation, stamp: Stamp): Promise<MachineToken>
  /** Ends a token now.
   * @throws DomainError not_found: none that works */
  end(place: TokenPlace, stamp: Stamp): Promise<void>
  /** Records an event for each token that expires soon, once. */
  recordExpiring(now: string): Promise<void>
  /** Ends a token that works, by its hash: for a reporter who is not known. */
  report(tokenHash: string, report: Moment & { url: string | null }): Promise<void>
}

export type TokenRotation = TokenPlace & {
  next: Pick<NewToken, 'id' | 'hint' | 'tokenHash'>
  overlapSeconds: number
}

export type TokenParts = {
  machineTokens: MachineTokenStore
  clock: ClockAndIds
  /** The setting MACHINE_TOKENS. */
  tokensAllowed: boolean
}

/** The only form in which a token itself leaves the server. */
export type CreatedToken = { id: string; token: string; hint: string; expires_at: string }

/** @throws DomainError tokens_off · invalid (networks) · not_found (the machine) · conflict (too many tokens) */
export async function createToken(
  parts: TokenParts,
  caller: Caller,
  { machineId, ...draft }: { machineId: string; expiresInDays: number; networks: readonly string[] },
): Promise<CreatedToken> {
  requireTokens(parts)
  const networks = parseNetworks(draft.networks)
  const { token, ...made } = newToken(parts.clock)
  const lifetimeSeconds = draft.expiresInDays * DAY_SECONDS
  const expires_at = timestamp(parts.clock, lifetimeSeconds)
  const stored = { ...made, machineId, networks, lifetimeSeconds, expires_at }
  await parts.machineTokens.insert(stored, stampOf(caller, parts.clock))
  return { id: made.id, token, hint: made.hint, expires_at }
}

/** @throws DomainError tokens_off · not_found (no such token that works) · conflict (too many tokens) */
export async function rotateToken(
  parts: TokenParts,
  caller: Caller,
  { overlapSeconds, ...place }: TokenPlace & { overlapSeconds: number },
): Promise<CreatedToken> {
  requireTokens(parts)
  const { token, ...next } = newToken(parts.clock)
  const rotation = { ...place, next, overlapSeconds }
  const made = await parts.machineTokens.rotate(rotation, stampOf(caller, parts.clock))
  return { id: made.id, token, hint: made.hint, expires_at: made.expires_at }
}

/** End the tokens among these texts. Says nothing about which of them were tokens. */
export async function reportTokens(
  { machineTokens, clock }: TokenParts,
  reports: readonly { token: string; url?: string | undefined }[],
  origin: Origin | null,
): Promise<void> {
  for (const { token, url = null } of reports) {
    await machineTokens.report(hashToken(token), { at: timestamp(clock), origin, url })
  }
}

const DAY_SECONDS = 24 * 60 * 60

/** The time some seconds after another; both ISO timestamps. */
export function secondsAfter(time: string, seconds: number): string {
  return new Date(Date.parse(time) + seconds * 1_000).toISOString()
}

/** When a token should be rotated: two weeks before it expires, or halfway through a shorter life. ISO timestamp. */
export function rotationOf(expiresAt: string, lifetimeSeconds: number): string {
  return secondsAfter(expiresAt, -Math.min(TIMES.expiringSeconds, Math.floor(lifetimeSeconds / 2)))
}

type TokenLife = Pick<MachineToken, 'expires_at' | 'lifetime_seconds' | 'ended_at'>

/** Why a token should be replaced at this time, or null; of an ended one nothing is due. */
export function tokenDue(token: TokenLife, now: Date): 'expired' | 'expiring' | null {
  const { expires_at, lifetime_seconds, ended_at } = token
  const at = now.toISOString()
  if (ended_at !== null) return null
  if (expires_at <= at) return 'expired'
  return rotationOf(expires_at, lifetime_seconds) <= at ? 'expiring' : null
}

function newToken(clock: ClockAndIds) {
  const token = makeMachineToken()
  return { id: clock.newId(), token, hint: tokenHint(token), tokenHash: hashToken(token) }
}

function requireTokens({ tokensAllowed }: TokenParts): void {
  if (!tokensAllowed) throw tokensOff()
}

export function tokensOff(): DomainError {
  return new DomainError('tokens_off', 'this server accepts no machine tokens (MACHINE_TOKENS=0)')
}

export function tokenNotFound(): DomainError {
  return new DomainError('not_found', 'the machine has no such token, or it has ended')
}

export function tooManyTokens(): DomainError {
  const message = `a machine can have ${LIMITS.machineTokens} tokens: end one that is not used`
  return new DomainError('conflict', message, { details: { limit: LIMITS.machineTokens } })
}
