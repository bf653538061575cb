import { LIMITS } from '@keyferry/contract'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { MachineToken } from '../../domain/machines/machine.ts'
import {
  type NewToken,
  rotationOf,
  secondsAfter,
  type TokenPlace,
  type TokenRotation,
  tokenNotFound,
  tooManyTokens,
} from '../../domain/machines/machine-token.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { countOf, deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { holdMachine, type MachineRef, machineEvent, networksIn } from './machine-changes.ts'

/** Add a token; an event is recorded when it should be rotated. */
export async function insertRow(transaction: Query, token: NewToken, stamp: Stamp): Promise<MachineToken> {
  const { id, hint, networks, expires_at, lifetimeSeconds } = token
  const made = { id, hint, expires_at, lifetime_seconds: lifetimeSeconds, created_by: stamp.by }
  const row = { ...made, created_at: stamp.at, ended_at: null, last_used_at: null, last_used_ip: null }
  await transaction
    .insertInto('machine_tokens')
    .values({
      ...row,
      tenant_id: stamp.tenantId,
      machine_id: token.machineId,
      token_hash: token.tokenHash,
      networks: JSON.stringify(networks),
      tell_at: rotationOf(expires_at, lifetimeSeconds),
    })
    .execute()
  return { ...row, networks }
}

/** @throws DomainError conflict: the machine already has the maximum number of active tokens */
export async function requireRoom(
  transaction: Query,
  machineId: string,
  { tenantId, at }: Stamp,
): Promise<void> {
  const working = selectOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId })
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
  if ((await countOf(working)) >= LIMITS.machineTokens) throw tooManyTokens()
}

/** How long a token that ended is listed. */
const LISTED_SECONDS = 90 * 24 * 60 * 60

/** Remove the tokens that ended so long ago that they are not listed. */
export async function forgetOld(
  transaction: Query,
  machineId: string,
  { tenantId, at }: Stamp,
): Promise<void> {
  const before = secondsAfter(at, -LISTED_SECONDS)
  await deleteOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId })
    .where((column) => column.or([column('ended_at', '<', before), column('expires_at', '<', before)]))
    .execute()
}

/** End a token at once.
 * @returns its machine and its hint; null when no such token works */
export async function endWorking(
  transaction: Query,
  { machineId, tokenId }: TokenPlace,
  { tenantId, at }: Pick<Stamp, 'tenantId' | 'at'>,
): Promise<{ machine: MachineRef; hint: string } | null> {
  const row = await updateOf(transaction, 'machine_tokens', { tenantId, id: tokenId, machine_id: machineId })
    .set({ ended_at: at })
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .returning('hint')
    .executeTakeFirst()
  if (!row) return null
  const machine = await selectOf(transaction, 'machines', { tenantId, id: machineId })
    .select(['id', 'name'])
    .executeTakeFirstOrThrow()
  return { ...row, machine }
}

/** Add a token in the place of another, which works for the overlap only. */
export async function rotate(
  transaction: Recorded,
  { next, overlapSeconds, ...place }: TokenRotation,
  stamp: Stamp,
): Promise<MachineToken> {
  const { tenantId, at } = stamp
  const { machineId } = place
  const old = await holdWorking(transaction, place, stamp)
  const machine = old && (await holdMachine(transaction, tenantId, machineId))
  if (!machine) throw tokenNotFound()
  await requireRoom(transaction, machineId, stamp)
  const ends_at = await endAfter(transaction, old, { at, overlapSeconds })
  const networks = networksIn(old.networks)
  const lifetimeSeconds = old.lifetime_seconds
  const token = {
    ...next,
    machineId,
    networks,
    lifetimeSeconds,
    expires_at: secondsAfter(at, lifetimeSeconds),
  }
  const made = await insertRow(transaction, token, stamp)
  const { id, hint } = next
  const data = { token: id, hint, networks, expires_at: made.expires_at, ends_at, replaced_token: old.id }
  transaction.record(machineEvent(machine, stamp, { action: 'token.rotated', data }))
  return made
}

// The token before the machine, in the order in which a delivery holds them: in another order, the two could deadlock.
function holdWorking(transaction: Query, { machineId, tokenId }: TokenPlace, { tenantId, at }: Stamp) {
  return updateOf(transaction, 'machine_tokens', { tenantId, id: tokenId, machine_id: machineId })
    .set((column) => ({ hint: column.ref('hint') }))
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Let a token work for the overlap only, or end it. A token that expires earlier stays as it is.
 * @returns when it stops working */
async function endAfter(
  transaction: Query,
  { tenant_id, id, expires_at }: { tenant_id: string; id: string; expires_at: string },
  { at, overlapSeconds }: { at: string; overlapSeconds: number },
): Promise<string> {
  const after = secondsAfter(at, overlapSeconds)
  const endsAt = after < expires_at ? after : expires_at
  await updateOf(transaction, 'machine_tokens', { tenantId: tenant_id, id })
    .set(overlapSeconds === 0 ? { ended_at: at } : { expires_at: endsAt, tell_at: null })
    .execute()
  return endsAt
}
