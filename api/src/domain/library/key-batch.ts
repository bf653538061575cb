import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import { type Caller, ownerRequired } from '../people/membership.ts'
import { type BundleStore, bundleNotFound, requireBundleEditor, requireMayLetGo } from './bundle.ts'
import { mayChange, mayShow, type ValueRights } from './value-rights.ts'

/*
 * One action on several keys, all of it or nothing, with an event for each key that changed. It asks of the caller
 * what the same action on one key asks. A key that is as wanted already (attached, detached, secret) stays as it is,
 * so that the same call can be made again. Declaring keys not secret shows their values, so it is done one key at a
 * time.
 */

export type KeyOfBatch = { id: string; name: string; value_set_by: string }

/** `key_count`: how many of the keys the bundle uses. */
export type KeyUse = { id: string; name: string; created_by: string; key_count: number }

type KeysChange =
  | { action: 'attach' | 'detach'; bundleId: string }
  | { action: 'delete' | 'declare_secret'; bundleId?: never }

/** `keyIds`: those that the tenant does not have; `names`: the names that the bundle delivers from other keys. */
export type KeysChanged =
  | { status: 'done'; changed: number }
  | { status: 'no_keys'; keyIds: readonly string[] }
  | { status: 'no_bundle' }
  | { status: 'name_taken'; names: readonly string[] }

type Change = { keyIds: readonly string[]; stamp: Stamp }
type ChangeInBundle = Change & { bundleId: string }

export interface KeyBatchStore {
  /** Those of the keys that the tenant has. */
  find(tenantId: string, keyIds: readonly string[]): Promise<(KeyOfBatch & ValueRights)[]>
  /** The bundles that use any of the keys, by name. */
  uses(tenantId: string, keyIds: readonly string[]): Promise<KeyUse[]>
  /** Attaches the keys after what the bundle has, in the given order.
   * @throws DomainError bundle_full */
  attach(tenantId: string, change: ChangeInBundle): Promise<KeysChanged>
  detach(tenantId: string, change: ChangeInBundle): Promise<KeysChanged>
  delete(tenantId: string, change: Change): Promise<KeysChanged>
  /** @throws DomainError forbidden: the editor may not change one of the values */
  declareSecret(tenantId: string, change: Change & { editor: Caller }): Promise<KeysChanged>
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
  const outcome = await carryOut(parts.keyBatches, caller, { ...change, keyIds, stamp })
  if (outcome.status !== 'done') throw refusal(outcome)
  return { changed: outcome.changed, unchanged: keyIds.length - outcome.changed }
}

/** The bundles of the tenant that use any of the keys; unknown keys are used by none. */
export function findKeyUses(
  batches: KeyBatchStore,
  { tenantId }: Caller,
  keyIds: readonly string[],
): Promise<KeyUse[]> {
  return batches.uses(tenantId, keyIds)
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
  const unknown = missingOf(keyIds, keys)
  if (unknown.length > 0) throw keysNotFound(unknown)
  const may = action === 'attach' ? mayShow : mayChange
  const refused = action === 'delete' ? keys : keys.filter((key) => !may(caller, key))
  if (refused.length > 0) throw ownerRequired(refused.map(({ name }) => name))
}

function carryOut(batches: KeyBatchStore, caller: Caller, change: KeysChange & Change): Promise<KeysChanged> {
  const { tenantId } = caller
  if (change.action === 'attach') return batches.attach(tenantId, change)
  if (change.action === 'detach') return batches.detach(tenantId, change)
  return change.action === 'delete'
    ? batches.delete(tenantId, change)
    : batches.declareSecret(tenantId, { ...change, editor: caller })
}

/** Those of the ids that none of the keys has. */
export function missingOf(keyIds: readonly string[], keys: readonly { id: string }[]): string[] {
  const found = new Set(keys.map(({ id }) => id))
  return keyIds.filter((id) => !found.has(id))
}

function refusal(outcome: Exclude<KeysChanged, { status: 'done' }>): DomainError {
  if (outcome.status === 'no_bundle') return bundleNotFound()
  if (outcome.status === 'no_keys') return keysNotFound(outcome.keyIds)
  const { names } = outcome
  const message = `the bundle already delivers ${listed(names)} from other keys, so no key was attached: leave these out, or attach them one by one with another name`
  return new DomainError('name_taken', message, { details: { names } })
}

function keysNotFound(keyIds: readonly string[]): DomainError {
  const what = keyIds.length === 1 ? 'one of the keys is' : `${keyIds.length} of the keys are`
  const message = `${what} not in the library, so nothing was changed: read the keys again`
  return new DomainError('not_found', message, { details: { key_ids: keyIds } })
}

const LISTED = 5

function listed(names: readonly string[]): string {
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : ''
  return names.slice(0, LISTED).join(', ') + more
}
