import { LIMITS } from '@keyferry/contract'
import { z } from 'zod'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { KeySet } from '../../domain/machines/id-token.ts'
import type { MachineTrust } from '../../domain/machines/machine.ts'
import type { MachineTrustStore, NewTrust } from '../../domain/machines/machine-trust.ts'
import { tooManyTrusts, trustNotFound } from '../../domain/machines/machine-trust.ts'
import type { Queries, Recorded } from '../base/queries.ts'
import { changing } from '../base/statements.ts'
import { flag, type Tables } from '../base/tables.ts'
import { countOf, deleteOf, selectOf } from '../base/tenant-rows.ts'
import { attempts, forgetAttempt, noteAttempt } from './machine-attempts.ts'
import { holdMachine, machineEvent, networksIn, requireMachine } from './machine-changes.ts'

export function createMachineTrustStore(queries: Queries): MachineTrustStore {
  return {
    insert: changing(queries, insert),
    end: changing(queries, end),
    attempts: (tenantId, machineId) => attempts(queries.query, tenantId, machineId),
    forgetAttempt: changing(queries, forgetAttempt),
    noteAttempt: changing(queries, noteAttempt),
  }
}

const StoredClaims = z.record(z.string(), z.array(z.string()))
const StoredKeys = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

/** A trust in a row. */
export function trustIn(row: Tables['machine_trusts']): MachineTrust {
  const { id, issuer, audience, binding, max_age_seconds, created_by, created_at, last_used_at } = row
  const texts = { id, issuer, audience, binding, max_age_seconds, created_by, created_at, last_used_at }
  const claims = StoredClaims.parse(JSON.parse(row.claims))
  const is_broad = row.is_broad === 1
  return {
    ...texts,
    claims,
    is_broad,
    networks: networksIn(row.networks),
    has_keys: row.issuer_keys !== null,
  }
}

/** The pasted keys in a row's text. */
export function keysIn(text: string | null): KeySet | null {
  return text === null ? null : StoredKeys.parse(JSON.parse(text))
}

async function insert(
  transaction: Recorded,
  { machineId, ...trust }: NewTrust & { machineId: string },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  const machine = await requireMachine(transaction, tenantId, machineId)
  const total = await countOf(selectOf(transaction, 'machine_trusts', { tenantId, machine_id: machineId }))
  if (total >= LIMITS.machineTrusts) throw tooManyTrusts()
  const { claims, keys, networks, is_broad, ...texts } = trust
  await transaction
    .insertInto('machine_trusts')
    .values({
      ...texts,
      tenant_id: tenantId,
      machine_id: machineId,
      claims: JSON.stringify(claims),
      issuer_keys: keys && JSON.stringify(keys),
      networks: JSON.stringify(networks),
      is_broad: flag(is_broad),
      created_by: stamp.by,
      created_at: stamp.at,
      last_used_at: null,
      last_used_ip: null,
    })
    .execute()
  const { id, issuer, audience, binding } = trust
  const pairs = Object.entries(claims).flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
  const data = { trust: id, issuer, audience, binding, is_broad, networks, claims: pairs }
  transaction.record(machineEvent(machine, stamp, { action: 'trust.created', data }))
}

// The trust before the machine, in the order in which a delivery holds them.
async function end(
  transaction: Recorded,
  { machineId, trustId }: { machineId: string; trustId: string },
  stamp: Stamp,
): Promise<void> {
  const { tenantId } = stamp
  const row = await deleteOf(transaction, 'machine_trusts', { tenantId, id: trustId, machine_id: machineId })
    .returning(['issuer'])
    .executeTakeFirst()
  const machine = row && (await holdMachine(transaction, tenantId, machineId))
  if (!row || !machine) throw trustNotFound()
  const data = { trust: trustId, issuer: row.issuer }
  transaction.record(machineEvent(machine, stamp, { action: 'trust.ended', data }))
}
