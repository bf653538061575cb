import { z } from 'zod'
import type { Attempt, AttemptPlace, NewAttempt } from '../../domain/machines/machine-trust.ts'
import type { Query } from '../base/queries.ts'
import { hasChanged, inOneTenant } from '../base/statements.ts'
import { flag, type Tables } from '../base/tables.ts'
import { deleteOf, selectOf } from '../base/tenant-rows.ts'
import { holdMachine } from './machine-changes.ts'

const ShownClaims = z.record(z.string(), z.string())

/** The refused identities of a machine, the latest first; null when the tenant has no such machine. */
export async function attempts(query: Query, tenantId: string, machineId: string): Promise<Attempt[] | null> {
  const rows = await selectOf(query, 'machines', { tenantId, id: machineId })
    .leftJoin('machine_attempts as attempt', (join) =>
      join.on(inOneTenant('attempt.machine_id', 'machines.id')),
    )
    .select(['attempt.fingerprint', 'attempt.issuer', 'attempt.claims', 'attempt.is_bound', 'attempt.reason'])
    .select(['attempt.first_at', 'attempt.last_at', 'attempt.times'])
    .orderBy('attempt.last_at', 'desc')
    .execute()
  return rows.length === 0 ? null : rows.flatMap(attemptIn)
}

type JoinedAttempt = {
  [C in keyof Omit<Tables['machine_attempts'], 'tenant_id' | 'machine_id' | 'row_version' | 'mac'>]:
    | Tables['machine_attempts'][C]
    | null
}

// A machine without attempts is one row without any.
function attemptIn({
  fingerprint,
  issuer,
  claims,
  is_bound,
  reason,
  first_at,
  last_at,
  times,
}: JoinedAttempt): Attempt[] {
  if (fingerprint === null || issuer === null || claims === null || reason === null) return []
  if (first_at === null || last_at === null || times === null) return []
  const shown = ShownClaims.parse(JSON.parse(claims))
  return [{ fingerprint, issuer, claims: shown, isBound: is_bound === 1, reason, first_at, last_at, times }]
}

/** @returns false when there is no such attempt */
export function forgetAttempt(
  transaction: Query,
  tenantId: string,
  { machineId, fingerprint }: AttemptPlace,
): Promise<boolean> {
  const place = { tenantId, machine_id: machineId, fingerprint }
  return hasChanged(deleteOf(transaction, 'machine_attempts', place))
}

const KEPT = 10
const NEW_IN_A_MINUTE = 5
const MINUTE_MS = 60_000

/** Count an attempt again, or keep it as a new one unless there were too many. */
export async function noteAttempt(
  transaction: Query,
  tenantId: string,
  { machineId, fingerprint, issuer, claims, isBound, reason, at }: NewAttempt,
): Promise<void> {
  if (!(await holdMachine(transaction, tenantId, machineId))) return
  const known = await knownAttempts(transaction, tenantId, machineId)
  const since = new Date(Date.parse(at) - MINUTE_MS).toISOString()
  const isNew = !known.some((attempt) => attempt.fingerprint === fingerprint)
  if (isNew && known.filter(({ first_at }) => first_at > since).length >= NEW_IN_A_MINUTE) return
  const row = { issuer, claims: JSON.stringify(claims), is_bound: flag(isBound), reason, last_at: at }
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
