import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Stores } from '../domain/stores.ts'
import type { Query } from './database.ts'
import { createMembershipStore } from './memberships.ts'
import { TenantKeys } from './tenant-keys.ts'
import { createUserStore } from './users.ts'

/** Every store of the domain over one database. */
export function createStores(query: Query, ring: RootKeyRing): Stores {
  const tenantKeys = new TenantKeys(query, ring)
  return {
    memberships: createMembershipStore(query),
    users: createUserStore(query, tenantKeys),
  }
}
