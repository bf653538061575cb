import type { KeyStore } from '../../domain/library/key.ts'
import type { Queries } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { changersOf } from '../bundles/value-rights.ts'
import { storedUses, type ValueVault } from '../keys-at-rest/value-vault.ts'
import { changeKey } from './key-changes.ts'
import { readKeys } from './key-reading.ts'
import { removeKeys } from './key-removal.ts'
import { keyCreated, keyInsertion } from './new-keys.ts'

export function createKeyStore(
  queries: Queries,
  vault: ValueVault,
  bounds: { versionsKept: number },
): KeyStore {
  const { write } = queries
  return {
    ...readKeys(queries, vault),
    changersOf: (tenantId, keyIds) => changersOf(queries.query, tenantId, keyIds),
    insert: inserter(queries, vault),
    update: updater(queries, vault, bounds),
    delete: (tenantId, keyId, stamp) =>
      write(async (transaction) => {
        const removed = await removeKeys(transaction, { tenantId, keyIds: [keyId], stamp })
        return removed.has(keyId)
      }),
  }
}

function inserter({ write }: Queries, vault: ValueVault): KeyStore['insert'] {
  return async (tenantId, { value, templateUses = null, ...key }, stamp) => {
    const { seal } = await vault.toWrite(tenantId)
    const row = {
      ...key,
      tenant_id: tenantId,
      is_secret: flag(key.is_secret),
      value_version: 1,
      template_parts: storedUses(templateUses),
    }
    return write(async (transaction) => {
      const inserted = await keyInsertion(transaction, seal(value, row)).executeTakeFirstOrThrow()
      if (inserted.numInsertedOrUpdatedRows !== 1n) return false
      transaction.record(keyCreated(tenantId, { ...key, isTemplate: templateUses !== null }, stamp))
      return true
    })
  }
}

function updater(
  { write }: Queries,
  vault: ValueVault,
  { versionsKept }: { versionsKept: number },
): KeyStore['update'] {
  return async (tenantId, keyId, change) => {
    const parts = { versionsKept, vault: await vault.toWrite(tenantId) }
    return write((transaction) => changeKey({ ...parts, transaction }, { tenantId, keyId, change }))
  }
}
