import { firstStamp } from '../../domain/base/stamp.ts'
import { keyNameTaken, keyNotFound } from '../../domain/library/key.ts'
import { hiddenItem, type LegacyItemStore } from '../../domain/library/legacy-item.ts'
import { isTaken, refusing } from '../base/database.ts'
import type { Queries } from '../base/queries.ts'
import { isDelivered } from '../bundles/attachment-positions.ts'
import { insertLocked } from '../bundles/attachments.ts'
import { lockBundle, stampBundle } from '../bundles/bundle-changes.ts'
import { itemsOf, removeLocked } from '../bundles/legacy-items.ts'
import { newKeyRow, writeNewKeys } from '../keys/key-writes.ts'
import type { ValueVault } from '../keys-at-rest/value-vault.ts'

/** Who writes a bundle's items locks the bundle, so the item that is read here is the one that goes. */
export function converter(
  { write }: Queries,
  vaults: { items: ValueVault; keys: ValueVault },
): LegacyItemStore['convert'] {
  return async (place, name, { keyId, stamp }) => {
    const { tenantId, bundleId } = place
    const { open } = await vaults.items.of(tenantId)
    const locked = await vaults.keys.toWrite(tenantId)
    return refusing(isTaken, keyNameTaken, () =>
      write(async (transaction) => {
        const { encrypt } = await locked(transaction)
        await lockBundle(transaction, tenantId, bundleId)
        const row = await itemsOf(transaction, place)
          .select('value')
          .where('name', '=', name)
          .executeTakeFirst()
        const value = row && open(row)
        if (!value) throw keyNotFound()
        if (await isDelivered(transaction, { tenantId, bundleId, name })) throw hiddenItem(name)
        const { is_secret } = row
        const at = { tenant_id: tenantId, description: '', ...firstStamp(stamp) }
        const bound = { id: keyId, name, is_secret, value_version: 1 }
        const key = { ...at, ...encrypt(value, bound), value_how: 'convert' } as const
        await writeNewKeys(transaction, [newKeyRow(key)], stamp)
        await insertLocked(transaction, tenantId, { bundleId, keyId, order: undefined, required: false })
        await removeLocked(transaction, place, name)
        const data = { key: { id: keyId, name } }
        await stampBundle(transaction, { bundleId, action: 'item.converted', data }, stamp)
      }),
    )
  }
}
