import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Stores } from '../domain/stores.ts'
import { createAccountStore } from './accounts.ts'
import { createAttachmentStore } from './attachments.ts'
import { createBundleStore } from './bundles.ts'
import type { Query } from './database.ts'
import { createInvitationStore } from './invitations.ts'
import { createKeyStore } from './keys.ts'
import { createLegacyItemStore } from './legacy-items.ts'
import { createMemberStore } from './members.ts'
import { createMembershipStore } from './memberships.ts'
import { TenantKeys } from './tenant-keys.ts'
import { createTenantStore } from './tenants.ts'
import { createUserStore } from './users.ts'
import { ValueVault } from './value-vault.ts'

/** Every store of the domain over one database. */
export function createStores(query: Query, ring: RootKeyRing): Stores {
  const tenantKeys = new TenantKeys(query, ring)
  const keyVault = new ValueVault(tenantKeys, 'keys')
  return {
    accounts: createAccountStore(query, tenantKeys),
    attachments: createAttachmentStore(query, keyVault),
    bundles: createBundleStore(query),
    invitations: createInvitationStore(query),
    keys: createKeyStore(query, keyVault),
    legacyItems: createLegacyItemStore(query, new ValueVault(tenantKeys, 'legacy_items')),
    members: createMemberStore(query),
    memberships: createMembershipStore(query),
    tenants: createTenantStore(query),
    users: createUserStore(query, tenantKeys),
  }
}
