import type { Stamp } from '../../domain/base/stamp.ts'
import type { Attachment } from '../../domain/library/attachment.ts'
import { marksOfCopy, type OwnCopy, type SplitStore } from '../../domain/library/split.ts'
import { templateUsesOf } from '../../domain/library/template.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { type Flag, flag } from '../base/tables.ts'
import { keysAttached, updateOf } from '../base/tenant-rows.ts'
import { holdBundle, stampBundle } from '../bundles/bundle-changes.ts'
import { storedUses, type TenantVault, type ValueVault } from '../keys-at-rest/value-vault.ts'
import { keyCreated, keyInsertion } from './new-keys.ts'

export function splitter({ write }: Queries, vault: ValueVault): SplitStore['split'] {
  return async (tenantId, attachment, copy) => {
    const tenantVault = await vault.toWrite(tenantId)
    const { bundleId } = attachment
    return write(async (transaction) => {
      if (!(await holdBundle(transaction, tenantId, bundleId))) return 'absent'
      const given = await giveOwnCopy(transaction, tenantVault, { tenantId, attachment, copy })
      if (typeof given === 'string') return given
      const event = { action: 'bundle.split', data: given } as const
      await stampBundle(transaction, { tenantId, bundleId, stamp: copy.stamp }, event)
      return 'split'
    })
  }
}

type Giving = { tenantId: string; attachment: Attachment; copy: OwnCopy & { stamp: Stamp } }

type Named = { id: string; name: string }

/** Put a copy of a key in its place, in a transaction that holds the bundle, and record the new key. */
export async function giveOwnCopy(
  transaction: Recorded,
  vault: TenantVault,
  { tenantId, attachment, copy }: Giving,
): Promise<{ key: Named; replaced: Named } | 'absent' | 'name_taken'> {
  const { bundleId, keyId } = attachment
  const source = await attachedKey(transaction, tenantId, attachment)
  if (!source) return 'absent'
  const key = await insertCopy(transaction, vault, { tenantId, source, copy })
  if (!key) return 'name_taken'
  transaction.record(keyCreated(tenantId, { ...key, is_secret: key.is_secret === 1 }, copy.stamp))
  await updateOf(transaction, 'attachments', { tenantId, bundle_id: bundleId, key_id: keyId })
    .set({ key_id: copy.keyId })
    .execute()
  return { key: { id: key.id, name: key.name }, replaced: { id: source.id, name: source.name } }
}

type Source = NonNullable<Awaited<ReturnType<typeof attachedKey>>>

function attachedKey(transaction: Query, tenantId: string, { bundleId, keyId }: Attachment) {
  return keysAttached(transaction, tenantId)
    .select(['keys.id', 'keys.name', 'keys.value', 'keys.value_version', 'keys.is_secret'])
    .select(['keys.description', 'keys.template_parts', 'attachments.delivered_name'])
    .where('attachments.bundle_id', '=', bundleId)
    .where('attachments.key_id', '=', keyId)
    .executeTakeFirst()
}

/** Insert the copy under the first name that is free.
 * @returns null when no name is */
async function insertCopy(
  transaction: Query,
  { open, seal }: TenantVault,
  { tenantId, source, copy }: { tenantId: string; source: Source; copy: Giving['copy'] },
): Promise<(Named & { is_secret: Flag; isTemplate: boolean }) | null> {
  const value = copy.value ?? open(source)
  if (value === null) return null
  const { isTemplate, is_secret } = marksOfCopy(
    { is_secret: source.is_secret === 1, isTemplate: source.template_parts !== null },
    copy,
  )
  const { stamp } = copy
  const row = {
    id: copy.keyId,
    tenant_id: tenantId,
    is_secret: flag(is_secret),
    template_parts: isTemplate ? storedUses(templateUsesOf(value)) : null,
    description: copy.description ?? source.description,
    ...copy.lifetime,
    value_version: 1,
    created_at: stamp.at,
    created_by: stamp.by,
    updated_at: stamp.at,
    updated_by: stamp.by,
  }
  for (const name of copy.namesFor(source.delivered_name)) {
    const insertion = keyInsertion(transaction, seal(value, { ...row, name }))
    const { numInsertedOrUpdatedRows } = await insertion.executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows === 1n) return { id: row.id, name, is_secret: row.is_secret, isTemplate }
  }
  return null
}
