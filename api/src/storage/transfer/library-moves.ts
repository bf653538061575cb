import { Plaintext } from '@keyferry/crypto/plaintext'
import type { Bounds } from '../../domain/base/bounds.ts'
import { firstStamp } from '../../domain/base/stamp.ts'
import { turn } from '../../domain/base/turns.ts'
import { newBundle } from '../../domain/library/bundle.ts'
import { normalLifetime } from '../../domain/library/key-lifetime.ts'
import { templateUsesOf } from '../../domain/library/template.ts'
import type { LibraryMoveStore, MoveChange, MoveReading } from '../../domain/transfer/library-move.ts'
import {
  changeElsewhere,
  type MovedKey,
  type NamedKey,
  type ReceivingLibrary,
} from '../../domain/transfer/library-move-plan.ts'
import { chunks, inChunks } from '../base/chunks.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { selectOf } from '../base/tenant-rows.ts'
import { attachmentRow } from '../bundles/attachment-positions.ts'
import { requireWithinBound, stampBundle } from '../bundles/bundle-changes.ts'
import { createBundle } from '../bundles/bundles.ts'
import { newKeyRow, writeNewKeys } from '../keys/key-writes.ts'
import { changeLibrary, Overtaken } from '../keys/library-changes.ts'
import {
  type ReadingVault,
  storedUses,
  type TenantVault,
  type ValueVault,
} from '../keys-at-rest/value-vault.ts'

export function createLibraryMoveStore(
  queries: Queries,
  vault: ValueVault,
  bounds: Bounds,
): LibraryMoveStore {
  const { query } = queries
  return {
    read: async (tenantId, reading) => readLibrary(query, await vault.of(tenantId), { tenantId, reading }),
    async carryOut(tenantId, reading, decide) {
      const locked = await vault.toWrite(tenantId)
      return changeLibrary(queries, tenantId, async (transaction) => {
        const tenantVault = await locked(transaction)
        const change = decide(await readLibrary(transaction, tenantVault, { tenantId, reading }))
        await apply({ transaction, vault: tenantVault, bounds }, change)
        return change
      })
    },
  }
}

async function readLibrary(
  query: Query,
  { open }: ReadingVault,
  { tenantId, reading: { bundleNames, keyNames } }: { tenantId: string; reading: MoveReading },
): Promise<ReceivingLibrary> {
  const bundles = await inChunks(bundleNames, (names) =>
    selectOf(query, 'bundles', tenantId).select('name').where('name', 'in', names).execute(),
  )
  const keys = new Map<string, NamedKey>()
  for (const row of await inChunks(keyNames, (names) => keysNamed(query, tenantId, names))) {
    const value = open(row)
    const marks = { is_secret: row.is_secret === 1, isTemplate: row.template_parts !== null }
    if (value !== null) keys.set(row.name, { ...row, ...marks, value })
  }
  const named = await selectOf(query, 'keys', tenantId).select('name').execute()
  const taken = new Set(named.map(({ name }) => name))
  return { bundleNames: new Set(bundles.map(({ name }) => name)), keys, isTaken: (name) => taken.has(name) }
}

function keysNamed(query: Query, tenantId: string, names: readonly string[]) {
  return selectOf(query, 'keys', tenantId)
    .select(['id', 'name', 'value', 'value_version', 'is_secret', 'template_parts'])
    .where('name', 'in', names)
    .execute()
}

type MoveStoreParts = { transaction: Recorded; vault: TenantVault; bounds: Bounds }

async function apply(parts: MoveStoreParts, change: MoveChange): Promise<void> {
  await insertKeys(parts, change)
  for (const [index, { action }] of change.bundles.entries()) {
    if (action === 'create') await addBundle(parts, change, index)
  }
}

async function insertKeys({ transaction, vault }: MoveStoreParts, change: MoveChange): Promise<void> {
  const made = change.keys
    .map((step, index) => ({ step, id: change.ids.keys[index] ?? '' }))
    .filter(({ step: { action } }) => action === 'create' || action === 'rename')
  for (const some of chunks(made)) {
    const rows = some.map(({ step, id }) => newKey(step, { id, change, vault }))
    await writeNewKeys(transaction, rows, change.stamp)
    await turn() // A long move lets other calls run.
  }
}

type MovedKeyInsert = { id: string; change: MoveChange; vault: TenantVault }

function newKey({ key, keyName }: MovedKey, { id, change: { stamp }, vault }: MovedKeyInsert) {
  const value = Plaintext.of(key.value)
  const row = {
    id,
    tenant_id: stamp.tenantId,
    name: keyName,
    value_version: 1,
    value_changed_elsewhere_at: changeElsewhere(key.changed_at, stamp.at),
    is_secret: flag(key.is_secret),
    template_parts: storedUses(key.is_template ? templateUsesOf(value) : null),
    description: key.description,
    ...normalLifetime(key),
    ...firstStamp(stamp),
  }
  return newKeyRow({ ...vault.encrypt(value, row), value_how: 'move' })
}

async function addBundle(parts: MoveStoreParts, change: MoveChange, index: number): Promise<void> {
  const { transaction, bounds } = parts
  const { ids, stamp, bundles } = change
  const { tenantId } = stamp
  const { bundle } = bundles[index] ?? {}
  const bundleId = ids.bundles[index]
  if (bundle === undefined || bundleId === undefined) return
  if (!(await createBundle(transaction, newBundle(bundle, { id: bundleId, stamp }), stamp)))
    throw new Overtaken()
  const rows = bundle.entries.map(({ key, ...entry }, position) =>
    attachmentRow({ tenantId, bundleId }, { ...entry, keyId: idOf(change, key), position }),
  )
  for (const some of chunks(rows)) await transaction.insertAll('attachments', some)
  await requireWithinBound(transaction, { tenantId, bundleId }, bounds)
  const created = bundle.entries.filter(({ key }) => change.keys[key]?.action !== 'share').length
  const data = { created, updated: 0, names: bundle.entries.map(({ name }) => name) }
  await stampBundle(transaction, { bundleId, action: 'bundle.imported', data }, stamp)
}

function idOf({ keys, ids }: MoveChange, index: number): string {
  const step = keys[index]
  return (step?.action === 'share' ? step.existing?.id : ids.keys[index]) ?? ''
}
