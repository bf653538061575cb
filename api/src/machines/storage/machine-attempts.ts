import { z } from 'zod'
import { DomainError } from '../../domain/base/errors.ts'
import type { Caller } from '../../domain/people/membership.ts'
import type { Query } from '../../storage/base/queries.ts'
import { hasChanged } from '../../storage/base/statements.ts'
import { flag } from '../../storage/base/tables.ts'
import { deleteOf, isFound, selectOf } from '../../storage/base/tenant-rows.ts'
import {
  type Attempt,
  type MachineTrust,
  machineNotFound,
  type NewAttempt,
  type SeenAttempt,
} from '../domain/machine.ts'
import { suggestedNames } from '../domain/trusted-claims.ts'
import { lockMachine, type MachineParts } from './machine-changes.ts'
import { createTrust } from './machine-trusts.ts'

/*
 * A refused call with a verified token is kept as an attempt, so that an owner allows what just called instead of
 * typing claims. Attempts are few: ten for each machine, five new ones a minute.
 */

const ShownClaims = z.record(z.string(), z.string())

type AttemptPlace = { machineId: string; fingerprint: string }

/** Attempts, the latest first, with the claims to select by default.
 * @throws DomainError not_found */
export async function listAttempts({ queries }: MachineParts, { tenantId }: Caller, machineId: string) {
  const { query } = queries
  if (!(await isFound(selectOf(query, 'machines', { tenantId, id: machineId })))) throw machineNotFound()
  return (await attemptsOf(query, tenantId, machineId)).map((attempt) => ({
    ...attempt,
    suggested: suggestedNames(attempt.issuer, attempt.claims),
  }))
}

/** Take an attempt off the list. Its next call puts it there again.
 * @throws DomainError not_found */
export async function dismissAttempt(parts: MachineParts, { tenantId }: Caller, place: AttemptPlace) {
  if (!(await forgetAttempt(parts, tenantId, place))) throw attemptNotFound()
}

function forgetAttempt(
  { queries }: MachineParts,
  tenantId: string,
  { machineId, fingerprint }: AttemptPlace,
) {
  const place = { tenantId, machine_id: machineId, fingerprint }
  return queries.write((transaction) => hasChanged(deleteOf(transaction, 'machine_attempts', place)))
}

function attemptNotFound(): DomainError {
  return new DomainError('not_found', 'the machine has no such attempt')
}

/** Trust what an attempt showed, by the chosen claims, and take it off the list. What the owner saw is compared,
 * because the stored row may have changed since.
 * @throws DomainError not_found · changed · as `createTrust` */
export async function allowAttempt(
  parts: MachineParts,
  caller: Caller,
  { seen, ...place }: AttemptPlace & { seen: SeenAttempt },
): Promise<MachineTrust> {
  const { machineId, fingerprint } = place
  const attempts = await attemptsOf(parts.queries.query, caller.tenantId, machineId)
  const attempt = attempts.find((each) => each.fingerprint === fingerprint)
  if (!attempt) throw attemptNotFound()
  const { issuer, broad } = seen
  const chosen = Object.entries(seen.claims)
  if (attempt.issuer !== issuer || chosen.some(([name, text]) => attempt.claims[name] !== text))
    throw new DomainError('changed', 'the identity did not show this: look at it again')
  const claims = Object.fromEntries(chosen.map(([name, text]) => [name, [text]]))
  const binding = attempt.is_bound ? ('required' as const) : ('possible' as const)
  const draft = { issuer, claims, binding, networks: [], broad }
  const trust = await createTrust(parts, caller, { machineId, draft })
  await forgetAttempt(parts, caller.tenantId, place)
  return trust
}

async function attemptsOf(query: Query, tenantId: string, machineId: string): Promise<Attempt[]> {
  const rows = await selectOf(query, 'machine_attempts', { tenantId, machine_id: machineId })
    .select(['fingerprint', 'issuer', 'claims', 'is_bound', 'reason', 'first_at', 'last_at', 'times'])
    .orderBy('last_at', 'desc')
    .execute()
  return rows.map(({ claims, is_bound, ...row }) => ({
    ...row,
    claims: ShownClaims.parse(JSON.parse(claims)),
    is_bound: is_bound === 1,
  }))
}

const KEPT = 10
const NEW_IN_A_MINUTE = 5
const MINUTE_MS = 60_000

/** Count an attempt again, or keep it as a new one unless there were too many. */
export async function noteAttempt(
  transaction: Query,
  tenantId: string,
  { machineId, fingerprint, issuer, claims, is_bound, reason, at }: NewAttempt,
): Promise<void> {
  if (!(await lockMachine(transaction, tenantId, machineId))) return
  const known = await knownAttempts(transaction, tenantId, machineId)
  const since = new Date(Date.parse(at) - MINUTE_MS).toISOString()
  const isNew = !known.some((attempt) => attempt.fingerprint === fingerprint)
  if (isNew && known.filter(({ first_at }) => first_at > since).length >= NEW_IN_A_MINUTE) return
  const row = { issuer, claims: JSON.stringify(claims), is_bound: flag(is_bound), reason, last_at: at }
  const place = { tenant_id: tenantId, machine_id: machineId, fingerprint }
  await transaction
    .insertInto('machine_attempts')
    .values({ ...place, ...row, first_at: at, times: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'machine_id', 'fingerprint'])
        .doUpdateSet((column) => ({ ...row, times: column('machine_attempts.times', '+', 1) })),
    )
    .execute()
  const dropped = isNew ? known.slice(KEPT - 1).map((attempt) => attempt.fingerprint) : []
  if (dropped.length === 0) return
  await deleteOf(transaction, 'machine_attempts', { tenantId, machine_id: machineId })
    .where('fingerprint', 'in', dropped)
    .execute()
}

function knownAttempts(transaction: Query, tenantId: string, machineId: string) {
  return selectOf(transaction, 'machine_attempts', { tenantId, machine_id: machineId })
    .select(['fingerprint', 'first_at'])
    .orderBy('last_at', 'desc')
    .execute()
}
