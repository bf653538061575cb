import { type AllowAttempt, type CreateTrust, LIMITS, type MachineAttemptList } from '@keyferry/contract'
import { GITHUB_ISSUER } from '@keyferry/contract/trusts'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { parseNetworks } from '../base/network.ts'
import type { TargetRules } from '../base/outgoing-target.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import type { KeySet } from './id-token.ts'
import { type MachineTrust, machineNotFound } from './machine.ts'
import { type Claims, identityNames, requireUsableRules, suggestedNames, textOf } from './trusted-claims.ts'

/*
 * A trust lets a machine prove itself by the ID token of another service: a CI job's, a pod's. It names the issuer, the
 * audience and exact claims. Keys come from the issuer's discovery document, or are pasted for an issuer that the
 * server cannot reach. A refused call with a verified token is kept as an attempt, so that an owner allows what just
 * called instead of typing claims. Attempts are few: ten for each machine, five new ones a minute.
 */

/** A refused call whose token was verified. `fingerprint` names the identity; `isBound`: to the client's key. */
export type Attempt = Omit<z.output<typeof MachineAttemptList>[number], 'is_bound' | 'suggested'> & {
  isBound: boolean
}

export type NewAttempt = Omit<Attempt, 'first_at' | 'last_at' | 'times'> & { machineId: string; at: string }

export type AttemptPlace = { machineId: string; fingerprint: string }

export type NewTrust = Omit<MachineTrust, 'created_by' | 'created_at' | 'last_used_at' | 'has_keys'> & {
  keys: KeySet | null
}

export interface MachineTrustStore {
  /** @throws DomainError not_found (the machine) · conflict (too many trusts) */
  insert(trust: NewTrust & { machineId: string }, stamp: Stamp): Promise<void>
  /** @throws DomainError not_found */
  end(place: { machineId: string; trustId: string }, stamp: Stamp): Promise<void>
  /** The latest first; null when the tenant has no such machine. */
  attempts(tenantId: string, machineId: string): Promise<Attempt[] | null>
  /** False when there is no such attempt. */
  forgetAttempt(tenantId: string, place: AttemptPlace): Promise<boolean>
  /** Counts an attempt again, or keeps it as a new one unless there were too many. */
  noteAttempt(tenantId: string, attempt: NewAttempt): Promise<void>
}

export type TrustParts = {
  machineTrusts: MachineTrustStore
  clock: ClockAndIds
  targets: TargetRules
  /** The audience of trusts that name none. */
  audience: string
}

export type TrustDraft = z.output<typeof CreateTrust>

/** @returns the id of the trust
 * @throws DomainError invalid · trust_too_broad · target_refused · not_found (the machine) · conflict (too many
 *   trusts) */
export async function createTrust(
  { machineTrusts, clock, targets, audience }: TrustParts,
  caller: Caller,
  { machineId, draft }: { machineId: string; draft: TrustDraft },
): Promise<string> {
  requireUsableRules(draft.issuer, draft.claims, draft.broad)
  if (draft.keys === undefined) targets.allowed(draft.issuer)
  const trust = {
    id: clock.newId(),
    issuer: draft.issuer,
    audience: draft.audience ?? audience,
    claims: draft.claims,
    keys: draft.keys ?? null,
    binding: draft.binding ?? (draft.issuer === GITHUB_ISSUER ? 'required' : 'possible'),
    networks: parseNetworks(draft.networks),
    max_age_seconds: draft.max_age_seconds ?? null,
    is_broad: draft.broad,
  } as const
  await machineTrusts.insert({ ...trust, machineId }, stampOf(caller, clock))
  return trust.id
}

export function tooManyTrusts(): DomainError {
  const message = `a machine can have ${LIMITS.machineTrusts} trusts: end one that is not used`
  return new DomainError('conflict', message, { details: { limit: LIMITS.machineTrusts } })
}

export function trustNotFound(): DomainError {
  return new DomainError('not_found', 'the machine has no such trust')
}

/** Attempts with the claims to select by default.
 * @throws DomainError not_found */
export async function listAttempts(
  { machineTrusts }: Pick<TrustParts, 'machineTrusts'>,
  { tenantId }: Caller,
  machineId: string,
): Promise<(Attempt & { suggested: string[] })[]> {
  const attempts = await machineTrusts.attempts(tenantId, machineId)
  if (attempts === null) throw machineNotFound()
  return attempts.map((attempt) => ({
    ...attempt,
    suggested: suggestedNames(attempt.issuer, attempt.claims),
  }))
}

/** Take an attempt off the list. Its next call puts it there again.
 * @throws DomainError not_found */
export async function dismissAttempt(
  { machineTrusts }: Pick<TrustParts, 'machineTrusts'>,
  { tenantId }: Caller,
  place: AttemptPlace,
): Promise<void> {
  if (!(await machineTrusts.forgetAttempt(tenantId, place))) throw attemptNotFound()
}

function attemptNotFound(): DomainError {
  return new DomainError('not_found', 'the machine has no such attempt')
}

/** Trust what an attempt showed, by the chosen claims, and take it off the list. `seen`: what the owner saw, and signed
 * where rules ask for that. It is compared, because the stored row may have changed since.
 * @returns the id of the trust
 * @throws DomainError not_found · changed · as `createTrust` */
export async function allowAttempt(
  parts: TrustParts,
  caller: Caller,
  { machineId, fingerprint, seen }: AttemptPlace & { seen: z.output<typeof AllowAttempt> },
): Promise<string> {
  const attempts = await parts.machineTrusts.attempts(caller.tenantId, machineId)
  const attempt = attempts?.find((each) => each.fingerprint === fingerprint)
  if (!attempt) throw attemptNotFound()
  const { issuer, broad } = seen
  const chosen = Object.entries(seen.claims)
  if (attempt.issuer !== issuer || chosen.some(([name, text]) => attempt.claims[name] !== text))
    throw new DomainError('changed', 'the identity did not show this: look at it again')
  const claims = Object.fromEntries(chosen.map(([name, text]) => [name, [text]]))
  const binding = attempt.isBound ? ('required' as const) : ('possible' as const)
  const draft = { issuer, claims, binding, networks: [], broad }
  const trustId = await createTrust(parts, caller, { machineId, draft })
  await parts.machineTrusts.forgetAttempt(caller.tenantId, { machineId, fingerprint })
  return trustId
}

/** The claims of an attempt that are kept: those with a text of ordinary length. */
export function shownClaims(claims: Claims): Record<string, string> {
  const texts = Object.entries(claims).flatMap(([name, claim]) => {
    const text = textOf(claim)
    return text === null || text.length > LIMITS.claimLength || name.length > LIMITS.claimLength
      ? []
      : [[name, text] as const]
  })
  return Object.fromEntries(texts.slice(0, LIMITS.shownClaims))
}

/** What tells one identity from another: the issuer and its identifying claims. */
export function identityText(issuer: string, claims: Claims): string {
  return JSON.stringify([
    issuer,
    ...identityNames(issuer, claims).map((name) => [name, textOf(claims[name])]),
  ])
}
