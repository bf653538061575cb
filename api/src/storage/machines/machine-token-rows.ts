import { LIMITS } from '@keyferry/contract'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { MachineToken } from '../../domain/machines/machine.ts'
import {
  type NewToken,
  type Rotation,
  rotationOf,
  secondsAfter,
  tokenNotFound,
  tooManyTokens,
} from '../../domain/machines/machine-token.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { countOf, deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { holdMachine, type MachineRef, machineEvent, networksIn } from './machine-changes.ts'

/** Add a token; its webhook message is sent when it should be rotated. */
export async function insertRow(
  transaction: Query,
  {
    tenantId,
    machineId,
    token,
    stamp,
  }: { tenantId: string; machineId: string; token: NewToken; stamp: Stamp },
): Promise<MachineToken> {
  const { id, hint, networks, expires_at, lifetimeSeconds, tokenHash } = token
  const lifetime_seconds = lifetimeSeconds
  const made = { id, hint, expires_at, lifetime_seconds, created_by: stamp.by, created_at: stamp.at }
  const row = { ...made, ended_at: null, last_used_at: null, last_used_ip: null }
  await transaction
    .insertInto('machine_tokens')
    .values({
      ...row,
      tenant_id: tenantId,
      machine_id: machineId,
      token_hash: tokenHash,
      networks: JSON.stringify(networks),
      tell_at: rotationOf(expires_at, lifetimeSeconds),
    })
    .execute()
  return { ...row, networks }
}

type OfMachine = { tenantId: string; machineId: string; at: string }

export async function countWorking(
  transaction: Query,
  { tenantId, machineId, at }: OfMachine,
): Promise<number> {
  const total = await countOf(
    selectOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId })
      .where('expires_at', '>', at)
      .where('ended_at', 'is', null),
  )
  return total
}

/** How long a token that ended is listed. */
const LISTED_MS = 90 * 24 * 60 * 60 * 1_000

/** Remove the tokens that ended so long ago that they are not listed. */
export async function forgetOld(transaction: Query, { tenantId, machineId, at }: OfMachine): Promise<void> {
  const before = new Date(Date.parse(at) - LISTED_MS).toISOString()
  await deleteOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId })
    .where((column) => column.or([column('ended_at', '<', before), column('expires_at', '<', before)]))
    .execute()
}

/** One token, and the time of the call. */
type PlacedToken = { tenantId: string; machineId: string; tokenId: string; at: string }
type EndedToken = { machine: MachineRef; id: string; hint: string }

/** End a token at once.
 * @returns null when no such token works */
export async function endWorking(
  transaction: Query,
  { tenantId, machineId, tokenId, at }: PlacedToken,
): Promise<EndedToken | null> {
  const row = await updateOf(transaction, 'machine_tokens', { tenantId, id: tokenId, machine_id: machineId })
    .set({ ended_at: at })
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .returning(['id', 'hint'])
    .executeTakeFirst()
  if (!row) return null
  return { ...row, machine: await machineOf(transaction, tenantId, machineId) }
}

function machineOf(transaction: Query, tenantId: string, machineId: string): Promise<MachineRef> {
  return selectOf(transaction, 'machines', { tenantId, id: machineId })
    .select(['id', 'name'])
    .executeTakeFirstOrThrow()
}

type Rotating = { tenantId: string; machineId: string; tokenId: string; rotation: Rotation }

/** Add a token in the place of another, which works for the overlap only. */
export async function rotate(
  transaction: Recorded,
  { tenantId, machineId, tokenId, rotation: { next, overlapSeconds, stamp } }: Rotating,
): Promise<MachineToken> {
  const at = stamp.at
  const old = await holdWorking(transaction, { tenantId, machineId, tokenId, at })
  const machine = old && (await holdMachine(transaction, tenantId, machineId))
  if (!machine) throw tokenNotFound()
  const count = await countWorking(transaction, { tenantId, machineId, at })
  if (count >= LIMITS.machineTokens) throw tooManyTokens()
  const ends_at = await endAfter(transaction, old, { at, overlapSeconds })
  const networks = networksIn(old.networks)
  const lifetimeSeconds = old.lifetime_seconds
  const token = { ...next, networks, lifetimeSeconds, expires_at: secondsAfter(at, lifetimeSeconds) }
  const made = await insertRow(transaction, { tenantId, machineId, token, stamp })
  const { id, hint } = next
  const data = { token: id, hint, networks, expires_at: made.expires_at, ends_at, replaced_token: old.id }
  transaction.record(machineEvent({ tenantId, ...machine }, 'token.rotated', { stamp, data }))
  return made
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
