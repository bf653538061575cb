import { Plaintext } from '@keyferry/crypto/plaintext'
import { firstStamp } from '../../domain/base/stamp.ts'
import { turn } from '../../domain/base/turns.ts'
import { templateUsesOf } from '../../domain/library/template.ts'
import type { ImportChange } from '../../domain/transfer/library-import.ts'
import { makesKey, markAfter, splits } from '../../domain/transfer/library-import-step.ts'
import { chunks, inChunks } from '../base/chunks.ts'
import type { Recorded } from '../base/queries.ts'
import { flag, type KeyRow } from '../base/tables.ts'
import { keepHolders } from '../holders/holders.ts'
import { changeOfKey, type KeyChangeParts, lockKeysOf } from '../keys/key-changes.ts'
import { newKeyRow, writeKeyChanges, writeNewKeys } from '../keys/key-writes.ts'
import { Overtaken } from '../keys/library-changes.ts'
import { storedUses, type TenantVault } from '../keys-at-rest/value-vault.ts'

/*
 * The keys of an import: those that it uses as they are, those that it makes, and those that it gives another value.
 */

type ImportedKeysChange = ImportChange & { tenantId: string }

/** Lock the keys that are used as they are or changed, and see whether they are still as planned.
 * @returns them, by id */
export async function lockKeys(
  transaction: Recorded,
  { tenantId, steps }: ImportedKeysChange,
): Promise<ReadonlyMap<string, KeyRow>> {
  const used = steps.flatMap(({ action, key }) => (key !== null && USES_KEY.has(action) ? [key] : []))
  const rows = await inChunks(used, (keys) => {
    const ids = keys.map(({ id }) => id)
    return lockKeysOf(transaction, tenantId, ids)
  })
  const locked = new Map(rows.map((row) => [row.id, row]))
  for (const { id, value_version, is_secret } of used) {
    const row = locked.get(id)
    if (row?.value_version !== value_version || row.is_secret !== flag(is_secret)) throw new Overtaken()
  }
  return locked
}

const USES_KEY: ReadonlySet<string> = new Set(['share', 'update', 'replace'])

export async function insertKeys(
  { transaction, vault }: KeyChangeParts,
  change: ImportedKeysChange,
): Promise<void> {
  for (const steps of chunks(change.steps.filter(makesKey))) {
    const rows = steps.map((step) => newKey(step, change, vault.encrypt))
    await writeNewKeys(transaction, rows, change.stamp)
    const kept = steps.flatMap((step) =>
      splits(step) && step.key ? [[step.key.id, step.newKeyId] as const] : [],
    )
    await keepHolders(transaction, {
      tenantId: change.tenantId,
      bundleId: change.bundleId,
      copies: new Map(kept),
    })
    await turn() // A long import lets other calls run.
  }
}

/** A bundle that gets its own value keeps the description of the key that it shared or that was copied. */
function newKey(
  step: ImportedKeysChange['steps'][number],
  { tenantId, stamp, proposal }: ImportedKeysChange,
  encrypt: TenantVault['encrypt'],
) {
  const { entry, newKeyId, keyName } = step
  const split = splits(step) ? step.key : null
  const value = Plaintext.of(entry.value)
  const row = encrypt(value, {
    id: newKeyId,
    tenant_id: tenantId,
    name: keyName,
    value_version: (split?.value_version ?? 0) + 1,
    is_secret: flag(markAfter(step)),
    template_parts: entry.copied?.isTemplate ? storedUses(templateUsesOf(value)) : null,
    description: split?.description ?? entry.copied?.description ?? '',
    ...firstStamp(stamp),
  })
  return newKeyRow({ ...row, value_how: 'import', value_proposed_by: proposal?.proposerId ?? null })
}

export async function changeKeys(
  parts: KeyChangeParts,
  { steps, stamp, proposal }: ImportedKeysChange,
  locked: ReadonlyMap<string, KeyRow>,
): Promise<void> {
  const how = { how: 'import', restoredFrom: null, proposedBy: proposal?.proposerId ?? null } as const
  const changing = steps.filter(({ action }) => action === 'update' || action === 'replace')
  for (const chunk of chunks(changing)) {
    const written = chunk.flatMap((step) => {
      const current = locked.get(step.key?.id ?? '')
      const change = {
        value: Plaintext.of(step.entry.value),
        is_secret: markAfter(step),
        isTemplate: step.entry.copied?.isTemplate ?? false,
        stamp,
      }
      // The plan has opened the current value, of this version, wherever it may be the same.
      const source = { ...how, ...step.entry.copied?.whose }
      const isSame = (value: Plaintext) => step.isComparable && step.key?.value?.equals(value) === true
      return (current && changeOfKey(parts.vault, current, { change, source, isSame })) ?? []
    })
    await writeKeyChanges(parts, written)
    await turn()
  }
}
