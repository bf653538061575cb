import type { LegacyItemStore } from '../../domain/library/legacy-item.ts'
import type { Queries } from '../base/queries.ts'
import { insertHeld } from '../bundles/attachment-insertion.ts'
import { isDelivered } from '../bundles/attachment-names.ts'
import { holdBundle, stampBundle } from '../bundles/bundle-changes.ts'
import { itemsOf, removeHeld } from '../bundles/legacy-items.ts'
import { keyCreated, keyInsertion } from '../keys/new-keys.ts'
import type { ValueVault } from '../keys-at-rest/value-vault.ts'

/** Who writes a bundle's items holds the bundle, so the item that is read here is the one that goes. */
export function converter(
  { write }: Queries,
  vaults: { items: ValueVault; keys: ValueVault },
): LegacyItemStore['convert'] {
  return async (place, name, { keyId, stamp }) => {
    const { tenantId, bundleId } = place
    const { open } = await vaults.items.of(tenantId)
    const { seal } = await vaults.keys.toWrite(tenantId)
    return write(async (transaction) => {
      if (!(await holdBundle(transaction, tenantId, bundleId))) return 'no_bundle'
      const row = await itemsOf(transaction, place)
        .select('value')
        .where('name', '=', name)
        .executeTakeFirst()
      const value = row && open(row)
      if (!value) return 'no_item'
      if (await isDelivered(transaction, { tenantId, bundleId, name })) return 'hidden'
      const { is_secret } = row
      const made = { created_at: stamp.at, created_by: stamp.by, updated_at: stamp.at, updated_by: stamp.by }
      const at = { tenant_id: tenantId, description: '', ...made }
      const bound = { id: keyId, name, is_secret, value_version: 1 }
      const key = { ...at, ...seal(value, bound), value_how: 'convert' } as const
      const { numInsertedOrUpdatedRows } = await keyInsertion(transaction, key).executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows !== 1n) return 'taken'
      const attachment = { bundleId, keyId, order: undefined, required: false }
      await insertHeld(transaction, { tenantId, attachment })
      await removeHeld(transaction, place, name)
      transaction.record(keyCreated(tenantId, { id: keyId, name, is_secret: is_secret === 1 }, stamp))
      const event = { action: 'item.converted', data: { key: { id: keyId, name } } } as const
      await stampBundle(transaction, { ...place, stamp }, event)
      return 'converted'
    })
  }
}
