import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, listed } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import { type Caller, ownerRequired } from '../people/membership.ts'
import type { BundleStore } from './bundle.ts'
import { requireBundleEditor, requireMayLetGo, takingOut } from './bundle-rights.ts'
import { mayChange, mayShow, type ValueRights } from './value-rights.ts'

/*
 * One action on several keys, all of it or nothing, with an event for each key that changed. It asks of the caller
 * what the same action on one key asks. A key that is as wanted already (attached, detached, secret) stays as it is,
 * so that the same call can be made again. Declaring keys not secret shows their values, so it is done one key at a
 * time.
 */

export type KeyOfBatch = { id: string; name: string } & Omit<ValueRights, 'changers'>

/** `key_count`: how many of the keys the bundle uses. */
type KeyUse = { id: string; name: string; created_by: string; key_count: number }

type KeysChange =
  | { action: 'attach' | 'detach'; bundleId: string }
  | { action: 'delete' | 'declare_secret'; bundleId?: never }

type BatchChange = { keyIds: readonly string[]; stamp: Stamp }
type ChangeInBundle = BatchChange & { bundleId: string }

/** Changes answer how many keys changed.
 * @throws DomainError not_found (the bundle; or keys: `details.key_ids`) · name_taken (`details.names`) */
export interface KeyBatchStore {
  /** Those of the keys that the tenant has. */
  find(tenantId: string, keyIds: readonly string[]): Promise<(KeyOfBatch & ValueRights)[]>
  /** The bundles that use any of the keys, by name; unknown keys are used by none. */
  uses(tenantId: string, keyIds: readonly string[]): Promise<KeyUse[]>
  /** Attaches the keys after what the bundle has, in the given order.
   * @throws DomainError bundle_full */
  attach(tenantId: string, change: ChangeInBundle): Promise<number>
  detach(tenantId: string, change: ChangeInBundle): Promise<number>
  delete(tenantId: string, change: BatchChange): Promise<number>
  /** @throws DomainError forbidden: the editor may not change one of the values */
  declareSecret(tenantId: string, change: BatchChange & { editor: Caller }): Promise<number>
}

type BatchParts = { keyBatches: KeyBatchStore; bundles: BundleStore; clock: ClockAndIds }

/** Carry out one action on several keys.
 * @throws DomainError not_found (the bundle; or keys: `details.key_ids`) · forbidden (`details.names`) · name_taken
 *   (`details.names`) · bundle_full */
export async function changeKeys(
  parts: BatchParts,
  caller: Caller,
  { keyIds, change }: { keyIds: readonly string[]; change: KeysChange },
): Promise<{ changed: number; unchanged: number }> {
  await requireAllowed(parts, caller, { keyIds, change })
  const stamp = stampOf(caller, parts.clock)
  const changed = await carryOut(parts.keyBatches, caller, { ...change, keyIds, stamp })
  return { changed, unchanged: keyIds.length - changed }
}

async function requireAllowed(
  { keyBatches, bundles }: BatchParts,
  caller: Caller,
  { keyIds, change: { action, bundleId } }: { keyIds: readonly string[]; change: KeysChange },
): Promise<void> {
  if (caller.role === 'owner') return
  if (bundleId !== undefined) await requireBundleEditor(bundles, caller, bundleId)
  if (action === 'detach') return requireMayLetGo(bundles, caller, { bundleId, keyIds })
  const keys = await keyBatches.find(caller.tenantId, keyIds)
  requireAll(keyIds, keys)
  const may = action === 'attach' ? mayShow : mayChange
  const refused = action === 'delete' ? keys : keys.filter((key) => !may(caller, key))
  if (refused.length > 0) throw ownerRequired(refused.map(({ name }) => name))
}

function carryOut(batches: KeyBatchStore, caller: Caller, change: KeysChange & BatchChange): Promise<number> {
  const { tenantId } = caller
  if (change.action === 'attach') return batches.attach(tenantId, change)
  if (change.action === 'detach') return batches.detach(tenantId, change)
  return change.action === 'delete'
    ? batches.delete(tenantId, change)
    : batches.declareSecret(tenantId, { ...change, editor: caller })
}

/** The bundles that use any of the keys, by name, and whether the caller may take the keys out of each. */
export async function usesOf(
  { keyBatches, bundles }: Omit<BatchParts, 'clock'>,
  caller: Caller,
  keyIds: readonly string[],
): Promise<(KeyUse & { may_detach: boolean })[]> {
  const uses = await keyBatches.uses(caller.tenantId, keyIds)
  const mayTake = await takingOut(bundles, caller, { bundleIds: uses.map(({ id }) => id), keyIds })
  return uses.map((use) => ({ ...use, may_detach: keyIds.every((keyId) => mayTake(use.id, keyId)) }))
}

/** @throws DomainError not_found: none of the keys has one of the ids (`details.key_ids`) */
export function requireAll(keyIds: readonly string[], keys: readonly { id: string }[]): void {
  const found = new Set(keys.map(({ id }) => id))
  const missing = keyIds.filter((id) => !found.has(id))
  if (missing.length === 0) return
  const what = missing.length === 1 ? 'one of the keys is' : `${missing.length} of the keys are`
  const message = `${what} not in the library, so nothing was changed: read the keys again`
  throw new DomainError('not_found', message, { details: { key_ids: missing } })
}

export function namesDelivered(names: readonly string[]): DomainError {
  const message = `the bundle already delivers ${listed(names, LISTED)} from other keys, so no key was attached: leave these out, or attach them one by one with another name`
  return new DomainError('name_taken', message, { details: { names } })
}

const LISTED = 5
