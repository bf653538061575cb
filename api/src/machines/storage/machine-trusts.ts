import { GITHUB_ISSUER } from '@keyferry/contract/machines/trusts'
import { z } from 'zod'
import { DomainError } from '../../domain/base/errors.ts'
import { parseNetworks } from '../../domain/base/network.ts'
import { stampOf } from '../../domain/base/stamp.ts'
import type { Caller } from '../../domain/people/membership.ts'
import { flag, type Tables } from '../../storage/base/tables.ts'
import { countOf, deleteOf, selectOf } from '../../storage/base/tenant-rows.ts'
import type { KeySet } from '../domain/id-token.ts'
import { type MachineTrust, requireRoomFor, type TrustDraft } from '../domain/machine.ts'
import { requireUsableRules } from '../domain/trusted-claims.ts'
import {
  lockMachine,
  type MachineParts,
  machineEvent,
  networksIn,
  requireMachine,
} from './machine-changes.ts'

/*
 * A trust lets a machine prove itself by the ID token of another service: a CI job's, a pod's. It names the issuer, the
 * audience and exact claims. Keys come from the issuer's discovery document, or are pasted for an issuer that the
 * server cannot reach.
 */

const StoredClaims = z.record(z.string(), z.array(z.string()))
const StoredKeys = z.object({ keys: z.array(z.record(z.string(), z.unknown())) })

/** A trust in a row. */
export function trustIn(row: Omit<Tables['machine_trusts'], 'row_version' | 'mac'>): MachineTrust {
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

/** @throws DomainError invalid · trust_too_broad · target_refused · not_found (the machine) · conflict (too many
 *   trusts) */
export async function createTrust(
  { queries, clock, targets, audience: ours }: MachineParts,
  caller: Caller,
  { machineId, draft }: { machineId: string; draft: TrustDraft },
): Promise<MachineTrust> {
  const { issuer, claims, keys, audience = ours, max_age_seconds = null, broad } = draft
  requireUsableRules(issuer, claims, broad)
  if (keys === undefined) targets.allowed(issuer)
  const binding = draft.binding ?? (issuer === GITHUB_ISSUER ? 'required' : 'possible')
  const networks = parseNetworks(draft.networks)
  const [id, stamp] = [clock.newId(), stampOf(caller, clock)]
  const { tenantId, by, at } = stamp
  const row = {
    id,
    issuer,
    audience,
    binding,
    max_age_seconds,
    tenant_id: tenantId,
    machine_id: machineId,
    claims: JSON.stringify(claims),
    issuer_keys: keys === undefined ? null : JSON.stringify(keys),
    networks: JSON.stringify(networks),
    is_broad: flag(broad),
    created_by: by,
    created_at: at,
    last_used_at: null,
    last_used_ip: null,
  }
  await queries.write(async (transaction) => {
    const machine = await requireMachine(transaction, tenantId, machineId)
    const existing = selectOf(transaction, 'machine_trusts', { tenantId, machine_id: machineId })
    requireRoomFor('trusts', await countOf(existing))
    await transaction.insertInto('machine_trusts').values(row).execute()
    const pairs = Object.entries(claims).flatMap(([name, values]) =>
      values.map((value) => `${name}=${value}`),
    )
    const data = { trust: id, issuer, audience, binding, is_broad: broad, networks, claims: pairs }
    transaction.record(machineEvent(machine, stamp, { action: 'trust.created', data }))
  })
  return trustIn(row)
}

/** @throws DomainError not_found */
export async function endTrust(
  { queries, clock }: MachineParts,
  caller: Caller,
  { machineId, trustId }: { machineId: string; trustId: string },
): Promise<void> {
  const stamp = stampOf(caller, clock)
  const { tenantId } = stamp
  await queries.write(async (transaction) => {
    // The trust before the machine, in the order in which a delivery locks them.
    const place = { tenantId, id: trustId, machine_id: machineId }
    const row = await deleteOf(transaction, 'machine_trusts', place).returning('issuer').executeTakeFirst()
    const machine = row && (await lockMachine(transaction, tenantId, machineId))
    if (!row || !machine) throw new DomainError('not_found', 'the machine has no such trust')
    const data = { trust: trustId, issuer: row.issuer }
    transaction.record(machineEvent(machine, stamp, { action: 'trust.ended', data }))
  })
}
