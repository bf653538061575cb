import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Bounds } from '../domain/base/bounds.ts'
import type { Stores } from '../domain/stores.ts'
import { createAuditStore } from './audit/audit-log.ts'
import type { Queries } from './base/queries.ts'
import { StoredBytes } from './base/stored-bytes.ts'
import { createAttachmentStore } from './bundles/attachments.ts'
import { createMarkStore } from './bundles/bundle-marks.ts'
import { createBundleStore } from './bundles/bundles.ts'
import { createComparisonStore } from './bundles/comparison.ts'
import { createLegacyItemStore } from './bundles/legacy-items.ts'
import { createPolicyStore } from './bundles/policies.ts'
import { createDeliveryStore } from './deliveries/deliveries.ts'
import { createDepositStore } from './deliveries/deposits.ts'
import { createUseStore } from './deliveries/fetch-days.ts'
import { createGrantStore } from './deliveries/grants.ts'
import { createLastApprovalStore } from './deliveries/last-approvals.ts'
import { createHolderStore } from './holders/holders.ts'
import type { LibraryParts } from './joined-stores.ts'
import { createKeyBatchStore } from './keys/key-batches.ts'
import { createValueOriginStore } from './keys/key-reading.ts'
import { createKeyVersionStore } from './keys/key-versions.ts'
import { createKeyStore } from './keys/keys.ts'
import { splitter } from './keys/own-copies.ts'
import { createTouchFactStore } from './keys/touch-facts.ts'
import type { NamedAuditKey } from './keys-at-rest/audit-keys.ts'
import { createDepositKeyStore } from './keys-at-rest/deposit-keys.ts'
import { TenantKeys } from './keys-at-rest/tenant-keys.ts'
import { ValueVault } from './keys-at-rest/value-vault.ts'
import { createApprovalKeyStore } from './people/approval-keys.ts'
import { createGroupStore } from './people/groups.ts'
import { createInvitationStore } from './people/invitations.ts'
import { createLastingActStore } from './people/lasting-acts.ts'
import { createMemberStore, createMembershipStore } from './people/members.ts'
import { createTenantStore } from './people/tenants.ts'
import { createTouchUseStore } from './people/touch-uses.ts'
import { createUserStore } from './people/users.ts'
import { type ReachScope, within } from './reach/reached-rows.ts'
import { duplicator } from './transfer/duplicates.ts'
import { converter } from './transfer/legacy-conversion.ts'
import { createLibraryImportStore } from './transfer/library-imports.ts'
import { createLibraryMoveStore } from './transfer/library-moves.ts'
import { createProposalStore } from './transfer/proposals.ts'

export function createStores(
  queries: Queries,
  { ring, auditKey, bounds }: { ring: RootKeyRing; auditKey: NamedAuditKey; bounds: Bounds },
): { stores: Stores; storesWithin: StoresWithin; library: LibraryParts } {
  const tenantKeys = new TenantKeys(queries, ring)
  const stored = new StoredBytes(queries, bounds)
  const keys = new ValueVault(tenantKeys, 'keys', stored)
  const proposals = new ValueVault(tenantKeys, 'proposals', stored)
  const library = { keys, proposals, bounds }
  const sources = { ring, tenantKeys, stored, auditKey, library }
  const stores = storesOf(queries, sources)
  return { stores, storesWithin: limited(queries, stores, sources), library }
}

/** The stores as a limited member has them. */
export type StoresWithin = (scope: ReachScope) => Stores

// An import asks for the reach of its caller by itself, because it plans and stores in one transaction.
function limited(queries: Queries, { imports }: Stores, sources: StoreSources): StoresWithin {
  return (scope) => {
    const query = within(queries.query, scope, queries)
    return { ...storesOf({ ...queries, query }, sources), imports }
  }
}

type StoreSources = {
  ring: RootKeyRing
  tenantKeys: TenantKeys
  stored: StoredBytes
  auditKey: NamedAuditKey
  library: LibraryParts
}

function storesOf(queries: Queries, { ring, tenantKeys, stored, auditKey, library }: StoreSources): Stores {
  const { query } = queries
  const { keys: keyVault, bounds } = library
  const itemVault = new ValueVault(tenantKeys, 'legacy_items', stored)
  return {
    approvalKeys: createApprovalKeyStore(queries, tenantKeys),
    audit: createAuditStore(query, auditKey),
    attachments: {
      ...createAttachmentStore(queries, keyVault, bounds),
      split: splitter(queries, keyVault, bounds),
    },
    bundles: {
      ...createBundleStore(queries),
      ...createMarkStore(query),
      duplicate: duplicator(queries, keyVault, bounds),
    },
    comparison: createComparisonStore(query, keyVault),
    events: { record: (event) => queries.write(async (transaction) => transaction.record(event)) },
    deliveries: createDeliveryStore(queries),
    depositKeys: createDepositKeyStore(queries, ring),
    deposits: createDepositStore(queries),
    grants: createGrantStore(queries),
    groups: createGroupStore(queries),
    holders: createHolderStore(queries),
    invitations: createInvitationStore(queries),
    keys: createKeyStore(queries, keyVault, bounds),
    keyBatches: createKeyBatchStore(queries, keyVault, bounds),
    keyVersions: createKeyVersionStore(queries, keyVault, bounds),
    imports: createLibraryImportStore(queries, keyVault, bounds),
    lastingActs: createLastingActStore(queries),
    legacyItems: {
      ...createLegacyItemStore(queries, itemVault, bounds),
      convert: converter(queries, { items: itemVault, keys: keyVault }),
    },
    members: createMemberStore(queries),
    memberships: createMembershipStore(queries),
    moves: createLibraryMoveStore(queries, keyVault, bounds),
    policies: createPolicyStore(queries),
    proposals: createProposalStore(queries, library.proposals),
    tenants: createTenantStore(queries),
    touchFacts: createTouchFactStore(queries),
    touchUses: createTouchUseStore(queries),
    users: createUserStore(queries, { tenantKeys, bounds }),
    uses: createUseStore(query),
    valueOrigins: createValueOriginStore(queries),
    lastApprovals: createLastApprovalStore(queries),
  }
}
