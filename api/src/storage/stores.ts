import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Stores } from '../domain/stores.ts'
import { createAttachmentStore } from './attachments.ts'
import { createBundleStore } from './bundles.ts'
import type { Query } from './database.ts'
import { createKeyStore } from './keys.ts'
import { createLegacyItemStore } from './legacy-items.ts'
import { createMembershipStore } from './memberships.ts'
import { TenantKeys } from './tenant-keys.ts'
import { createUserStore } from './users.ts'
import { ValueVault } from './value-vault.ts'

/** Every store of the domain over one database. */
export function createStores(query: Query, ring: RootKeyRing): Stores {
  const tenantKeys = new TenantKeys(query, ring)
  const keyVault = new ValueVault(tenantKeys, 'keys')
  return {
    attachments: createAttachmentStore(query, keyVault),
    bundles: createBundleStore(query),
    keys: createKeyStore(query, keyVault),
    legacyItems: createLegacyItemStore(query, new ValueVault(tenantKeys, 'legacy_items')),
    memberships: createMembershipStore(query),
    users: createUserStore(query, tenantKeys),
  }
}
