import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { Bounds } from '../domain/bounds.ts'
import type { Stores } from '../domain/stores.ts'
import { createAccountStore } from './accounts.ts'
import { createAttachmentStore } from './attachments.ts'
import type { NamedAuditKey } from './audit-keys.ts'
import { createAuditStore } from './audit-log.ts'
import { createBundleStore } from './bundles.ts'
import { createComparisonStore } from './comparison.ts'
import { createDeliveryStore } from './deliveries.ts'
import { createDepositKeyStore } from './deposit-keys.ts'
import { createDepositStore } from './deposits.ts'
import { duplicator } from './duplicates.ts'
import { createGrantStore } from './grants.ts'
import { createHeldDeliveryStore } from './held-deliveries.ts'
import { createHolderStore } from './holders.ts'
import { createInvitationStore } from './invitations.ts'
import { createKeyBatchStore } from './key-batches.ts'
import { createKeyVersionStore } from './key-versions.ts'
import { createKeyStore } from './keys.ts'
import { converter } from './legacy-conversion.ts'
import { createLegacyItemStore } from './legacy-items.ts'
import { createLibraryImportStore } from './library-imports.ts'
import { createLibraryMoveStore } from './library-moves.ts'
import { createMachineCallerStore } from './machine-callers.ts'
import { createMachineDeliveryStore } from './machine-deliveries.ts'
import { createMachineTokenStore } from './machine-tokens.ts'
import { createMachineTrustStore } from './machine-trusts.ts'
import { createMachineStore } from './machines.ts'
import { createMemberStore } from './members.ts'
import { createMembershipStore } from './memberships.ts'
import { splitter } from './own-copies.ts'
import { createPasskeyStore } from './passkeys.ts'
import { createPolicyStore } from './policies.ts'
import type { Queries } from './queries.ts'
import { StoredBytes } from './stored-bytes.ts'
import { TenantKeys } from './tenant-keys.ts'
import { createTenantStore } from './tenants.ts'
import { createUserStore } from './users.ts'
import { createValueOriginStore } from './value-origins.ts'
import { ValueVault } from './value-vault.ts'
import { createWebhookLogStore } from './webhook-log.ts'
import { createWebhookOutbox } from './webhook-outbox.ts'
import { webhookSecrets } from './webhook-secrets.ts'
import { createWebhookStore } from './webhooks.ts'

/** Every store of the domain over one database. */
export function createStores(
  queries: Queries,
  { ring, auditKey, bounds }: { ring: RootKeyRing; auditKey: NamedAuditKey; bounds: Bounds },
): Stores {
  const { query } = queries
  const tenantKeys = new TenantKeys(query, ring)
  const stored = new StoredBytes(queries, bounds)
  const keyVault = new ValueVault(tenantKeys, 'keys', stored)
  const itemVault = new ValueVault(tenantKeys, 'legacy_items', stored)
  const secrets = webhookSecrets(tenantKeys)
  return {
    accounts: createAccountStore(queries, tenantKeys),
    audit: createAuditStore(query, auditKey),
    attachments: { ...createAttachmentStore(queries, keyVault, bounds), split: splitter(queries, keyVault) },
    bundles: { ...createBundleStore(queries), duplicate: duplicator(queries, keyVault, bounds) },
    comparison: createComparisonStore(query),
    events: { record: (event) => queries.write((transaction) => queries.record(transaction, event)) },
    deliveries: createDeliveryStore(queries),
    depositKeys: createDepositKeyStore(queries, ring),
    deposits: createDepositStore(queries),
    grants: createGrantStore(queries),
    heldDeliveries: createHeldDeliveryStore(queries),
    holders: createHolderStore(queries),
    invitations: createInvitationStore(queries),
    keys: createKeyStore(queries, keyVault, bounds),
    keyBatches: createKeyBatchStore(queries, keyVault, bounds),
    keyVersions: createKeyVersionStore(queries, keyVault, bounds),
    imports: createLibraryImportStore(queries, keyVault, bounds),
    legacyItems: {
      ...createLegacyItemStore(queries, itemVault, bounds),
      convert: converter(queries, { items: itemVault, keys: keyVault }),
    },
    machineCallers: createMachineCallerStore(queries),
    machineDeliveries: createMachineDeliveryStore(queries),
    machines: createMachineStore(queries),
    machineTokens: createMachineTokenStore(queries),
    machineTrusts: createMachineTrustStore(queries),
    members: createMemberStore(queries),
    memberships: createMembershipStore(queries),
    moves: createLibraryMoveStore(queries, keyVault, bounds),
    policies: createPolicyStore(queries),
    passkeys: createPasskeyStore(queries),
    tenants: createTenantStore(queries),
    users: createUserStore(queries, { tenantKeys, bounds }),
    valueOrigins: createValueOriginStore(queries),
    webhooks: createWebhookStore(queries, secrets),
    webhookLog: createWebhookLogStore(queries),
    webhookOutbox: createWebhookOutbox(queries, secrets),
  }
}
