import { setImmediate as turn } from 'node:timers/promises'
import { Plaintext } from '@keyferry/crypto/plaintext'
import type { Bounds } from '../domain/bounds.ts'
import type { EventData } from '../domain/event.ts'
import { countsOf, type ImportChange, type LibraryImportStore } from '../domain/library-import.ts'
import { makesKey, markAfter, splits } from '../domain/library-import-plan.ts'
import { closeGaps, lengthOf } from './attachment-positions.ts'
import { requireWithinBound } from './bundle-bound.ts'
import { deliveredAs, holdBundle, stampBundle, stampBundleForEach } from './bundle-changes.ts'
import { createBundle } from './bundles.ts'
import { isMissingReference, isTaken } from './database.ts'
import { endApplied } from './deposits.ts'
import { changeOfKey, holdKeysOf, type KeyChangeParts } from './key-changes.ts'
import { writeKeyChanges } from './key-writes.ts'
import { keyCreated, newKeyRow } from './keys.ts'
import { readLibrary } from './library-reading.ts'
import type { Queries, Query, Recorded } from './queries.ts'
import { flag, type KeyRow } from './tables.ts'
import { holdTenant } from './tenants.ts'
import type { TenantVault, ValueVault } from './value-vault.ts'

export function createLibraryImportStore(
  queries: Queries,
  vault: ValueVault,
  bounds: Bounds,
): LibraryImportStore {
  const { query, write } = queries
  return {
    read: async (tenantId, reading) => readLibrary(query, await vault.of(tenantId), { tenantId, reading }),
    async carryOut(tenantId, reading, decide) {
      const tenantVault = await vault.toWrite(tenantId)
      try {
        return await write(async (transaction) => {
          // Imports and deletes of one tenant follow one another.
          await holdTenant(transaction, tenantId)
          await holdBundleNamed(transaction, tenantId, reading.bundleName)
          const change = decide(await readLibrary(transaction, tenantVault, { tenantId, reading }))
          const parts = { ...queries, ...bounds, transaction, vault: tenantVault, bounds }
          await apply(parts, { ...change, tenantId })
          await endDeposit(parts, { ...change, tenantId }, reading.bundleName)
          return change
        })
      } catch (error) {
        if (error instanceof Overtaken || isTaken(error) || isMissingReference(error)) return null
        throw error
      }
    },
  }
}

/** Ends the transaction: a key of the plan was changed by another call after it was read, or its deposit has ended. */
class Overtaken extends Error {}

async function holdBundleNamed(transaction: Query, tenantId: string, name: string): Promise<void> {
  const bundle = await transaction
    .selectFrom('bundles')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('name', '=', name)
    .executeTakeFirst()
  if (bundle) await holdBundle(transaction, tenantId, bundle.id)
}

type Change = ImportChange & { tenantId: string }
type Parts = KeyChangeParts & { bounds: Bounds }

async function apply(parts: Parts, change: Change): Promise<void> {
  const { tenantId, bundleId, bundle, steps, stamp } = change
  await detach(parts, change)
  if (!steps.some(({ action }) => action !== 'same' && action !== 'kept') && bundle === null) return
  if (bundle && !(await createBundle(parts, bundle, stamp))) throw new Overtaken()
  const held = await holdKeys(parts.transaction, change)
  await insertKeys(parts, change)
  await changeKeys(parts, change, held)
  await attach(parts, change)
  await stampBundle(parts, { tenantId, bundleId, stamp }, { action: 'bundle.imported', data: summary(steps) })
}

/** Take names from the bundle, which this transaction holds since the plan was made. */
async function detach(recorded: Recorded, { tenantId, bundleId, removals, stamp }: Change): Promise<void> {
  if (removals.length === 0) return
  for (const some of chunks(removals)) {
    const { numDeletedRows } = await recorded.transaction
      .deleteFrom('attachments')
      .where('tenant_id', '=', tenantId)
      .where('bundle_id', '=', bundleId)
      .where(
        'key_id',
        'in',
        some.map(({ key }) => key.id),
      )
      .executeTakeFirstOrThrow()
    if (Number(numDeletedRows) < some.length) throw new Overtaken()
  }
  await closeGaps(recorded.transaction, tenantId, [bundleId])
  const told = removals.map(({ name, key }) => ({
    key: { id: key.id, name: key.name },
    ...deliveredAs(key.name, name),
  }))
  await stampBundleForEach(recorded, { tenantId, bundleId, stamp }, { action: 'bundle.detached', told })
}

async function endDeposit(
  recorded: Recorded,
  { tenantId, bundleId, depositId, steps, removals, stamp }: Change,
  bundleName: string,
): Promise<void> {
  if (depositId === null) return
  const outcome = { bundleId, counts: countsOf({ steps, removals }) }
  const ending = { tenantId, depositId, bundle: { id: bundleId, name: bundleName }, outcome, stamp }
  if (!(await endApplied(recorded, ending))) throw new Overtaken()
}

function summary(steps: ImportChange['steps']): EventData {
  const written = steps.filter(({ action }) => action !== 'same' && action !== 'kept')
  const created = written.filter(makesKey).length
  const updated = written.filter(({ action }) => action === 'update' || action === 'replace').length
  return { created, updated, names: written.map(({ entry }) => entry.name) }
}

const ROWS_AT_ONCE = 200

/** Lock the keys that are used as they are or changed, and see whether they are still as planned.
 * @returns them, by id */
async function holdKeys(
  transaction: Query,
  { tenantId, steps }: Change,
): Promise<ReadonlyMap<string, KeyRow>> {
  const used = steps.flatMap(({ action, key }) => (key !== null && USES_KEY.has(action) ? [key] : []))
  const held = new Map<string, KeyRow>()
  for (const keys of chunks(used)) {
    const ids = keys.map(({ id }) => id)
    for (const row of await holdKeysOf(transaction, tenantId, ids)) held.set(row.id, row)
    for (const { id, value_version, is_secret } of keys) {
      const row = held.get(id)
      if (row?.value_version !== value_version || row.is_secret !== flag(is_secret)) throw new Overtaken()
    }
  }
  return held
}

const USES_KEY: ReadonlySet<string> = new Set(['share', 'update', 'replace'])

async function insertKeys(
  { transaction, insertAll, record, vault }: KeyChangeParts,
  change: Change,
): Promise<void> {
  for (const steps of chunks(change.steps.filter(makesKey))) {
    const rows = steps.map((step) => newKey(step, change, vault.seal))
    await insertAll(transaction, 'keys', rows)
    for (const row of rows) {
      const key = { ...row, is_secret: row.is_secret === 1 }
      await record(transaction, keyCreated(change.tenantId, key, change.stamp))
    }
    await turn() // A long import lets other calls run.
  }
}

/** A bundle that gets its own value keeps the description of the key that it shared. */
function newKey(step: Change['steps'][number], { tenantId, stamp }: Change, seal: TenantVault['seal']) {
  const { entry, newKeyId, keyName } = step
  const split = splits(step) ? step.key : null
  const row = seal(Plaintext.of(entry.value), {
    id: newKeyId,
    tenant_id: tenantId,
    name: keyName,
    value_version: 1,
    is_secret: flag(markAfter(step)),
    description: split?.description ?? '',
    created_at: stamp.at,
    created_by: stamp.by,
    updated_at: stamp.at,
    updated_by: stamp.by,
  })
  return newKeyRow({ ...row, value_how: 'import' })
}

const IMPORTED = { how: 'import', restoredFrom: null } as const

async function changeKeys(
  parts: KeyChangeParts,
  { steps, stamp }: Change,
  held: ReadonlyMap<string, KeyRow>,
): Promise<void> {
  const changing = steps.filter(({ action }) => action === 'update' || action === 'replace')
  for (const chunk of chunks(changing)) {
    const written = chunk.flatMap((step) => {
      const current = held.get(step.key?.id ?? '')
      const change = {
        value: Plaintext.of(step.entry.value),
        is_secret: newMark(step),
        isTemplate: false,
        stamp,
      }
      return (current && changeOfKey(parts.vault, current, { change, source: IMPORTED })) ?? []
    })
    await writeKeyChanges(parts, written)
    await turn()
  }
}

function newMark(step: Change['steps'][number]): boolean | undefined {
  return step.key?.templateParts === null ? step.entry.is_secret : markAfter(step)
}

/** Deliver the new and the shared keys after what the bundle has, in the order of the entries. A key that takes the place
 * of a shared one keeps its position. */
async function attach(
  { transaction, insertAll, updateAll, bounds }: Parts,
  { tenantId, bundleId, steps }: Change,
): Promise<void> {
  const first = await lengthOf(transaction, tenantId, bundleId)
  const rows = steps
    .filter(({ isAttached }) => !isAttached)
    .map((step, index) => ({
      bundle_id: bundleId,
      key_id: makesKey(step) ? step.newKeyId : (step.key?.id ?? step.newKeyId),
      tenant_id: tenantId,
      delivered_name: step.entry.name,
      position: first + index,
      required: flag(false),
    }))
  for (const chunk of chunks(rows)) await insertAll(transaction, 'attachments', chunk)
  if (rows.length > 0) await requireWithinBound(transaction, { tenantId, bundleId }, bounds)
  const taken = steps.filter(splits).map(({ newKeyId: key_id, entry }) => ({
    tenant_id: tenantId,
    bundle_id: bundleId,
    delivered_name: entry.name,
    key_id,
  }))
  const by = ['tenant_id', 'bundle_id', 'delivered_name'] as const
  for (const some of chunks(taken)) await updateAll(transaction, 'attachments', { by, rows: some })
}

function* chunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += ROWS_AT_ONCE) yield list.slice(from, from + ROWS_AT_ONCE)
}
