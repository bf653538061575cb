import type { Stamp } from '../../domain/base/stamp.ts'
import type { MachineToken } from '../../domain/machines/machine.ts'
import { type NewToken, rotationOf } from '../../domain/machines/machine-token.ts'
import type { Query } from '../base/queries.ts'
import { countOf, deleteOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import type { MachineRef } from './machine-changes.ts'

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

/** How many tokens of a machine work. */
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
export type PlacedToken = { tenantId: string; machineId: string; tokenId: string; at: string }
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
