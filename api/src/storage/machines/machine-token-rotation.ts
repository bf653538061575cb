import { LIMITS } from '@keyferry/contract'
import { type MachineTokenStore, type Rotation, secondsAfter } from '../../domain/machines/machine-token.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { updateOf } from '../base/tenant-rows.ts'
import { holdMachine, machineEvent } from './machine-changes.ts'
import { networksIn } from './machine-networks.ts'
import { countWorking, insertRow, type PlacedToken } from './machine-token-rows.ts'

type Rotating = { tenantId: string; machineId: string; tokenId: string; rotation: Rotation }

/** Add a token in the place of another, which works for the overlap only. */
export async function rotate(
  transaction: Recorded,
  { tenantId, machineId, tokenId, rotation: { next, overlapSeconds, stamp } }: Rotating,
): ReturnType<MachineTokenStore['rotate']> {
  const at = stamp.at
  const old = await holdWorking(transaction, { tenantId, machineId, tokenId, at })
  const machine = old && (await holdMachine(transaction, tenantId, machineId))
  if (!machine) return { status: 'absent' }
  const count = await countWorking(transaction, { tenantId, machineId, at })
  if (count >= LIMITS.machineTokens) return { status: 'full' }
  const ends_at = await endAfter(transaction, old, { at, overlapSeconds })
  const networks = networksIn(old.networks)
  const lifetimeSeconds = old.lifetime_seconds
  const token = { ...next, networks, lifetimeSeconds, expires_at: secondsAfter(at, lifetimeSeconds) }
  const made = await insertRow(transaction, { tenantId, machineId, token, stamp })
  const { id, hint } = next
  const data = { token: id, hint, networks, expires_at: made.expires_at, ends_at, replaced_token: old.id }
  transaction.record(machineEvent({ tenantId, ...machine }, 'token.rotated', { stamp, data }))
  return { status: 'done', token: made }
}

// The token before the machine, in the order in which a delivery holds them: in another order, the two could deadlock.
async function holdWorking(transaction: Query, { tenantId, machineId, tokenId, at }: PlacedToken) {
  return updateOf(transaction, 'machine_tokens', { tenantId, id: tokenId, machine_id: machineId })
    .set((column) => ({ hint: column.ref('hint') }))
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

type WorkingToken = { tenant_id: string; id: string; expires_at: string }

/** Let a token work for the overlap only, or end it. A token that expires earlier stays as it is.
 * @returns when it stops working */
async function endAfter(
  transaction: Query,
  { tenant_id, id, expires_at }: WorkingToken,
  { at, overlapSeconds }: { at: string; overlapSeconds: number },
): Promise<string> {
  const after = secondsAfter(at, overlapSeconds)
  const endsAt = after < expires_at ? after : expires_at
  await updateOf(transaction, 'machine_tokens', { tenantId: tenant_id, id })
    .set(overlapSeconds === 0 ? { ended_at: at } : { expires_at: endsAt, tell_at: null })
    .execute()
  return endsAt
}
