import type { AccountStore } from './account.ts'
import type { AttachmentStore } from './attachment.ts'
import type { AuditStore } from './audit.ts'
import type { BundleStore } from './bundle.ts'
import type { ComparisonStore } from './comparison.ts'
import type { DeliveryStore } from './delivery.ts'
import type { DepositKeyStore } from './deposit-key.ts'
import type { DepositStore } from './deposit-record.ts'
import type { DuplicateStore } from './duplicate.ts'
import type { EventStore } from './event.ts'
import type { GrantStore } from './grant.ts'
import type { HeldDeliveryStore } from './held-delivery.ts'
import type { HolderStore } from './holder.ts'
import type { InvitationStore } from './invitation.ts'
import type { KeyStore } from './key.ts'
import type { KeyBatchStore } from './key-batch.ts'
import type { KeyVersionStore } from './key-version.ts'
import type { LegacyItemStore } from './legacy-item.ts'
import type { LibraryImportStore } from './library-import.ts'
import type { LibraryMoveStore } from './library-move.ts'
import type { MachineStore } from './machine.ts'
import type { MachineCallerStore } from './machine-caller.ts'
import type { MachineDeliveryStore } from './machine-delivery.ts'
import type { MachineTokenStore } from './machine-token.ts'
import type { MachineTrustStore } from './machine-trust.ts'
import type { MemberStore } from './member.ts'
import type { MembershipStore } from './membership.ts'
import type { PasskeyStore } from './passkey.ts'
import type { PolicyStore } from './policy.ts'
import type { ValueOriginStore } from './request-offer.ts'
import type { SplitStore } from './split.ts'
import type { TenantStore } from './tenant.ts'
import type { UserStore } from './user.ts'
import type { WebhookStore } from './webhook.ts'
import type { WebhookLogStore } from './webhook-log.ts'
import type { WebhookOutbox } from './webhook-outbox.ts'

/** Every store of the domain. Each interface is declared beside the rules that use it. */
export type Stores = {
  accounts: AccountStore
  audit: AuditStore
  attachments: AttachmentStore & SplitStore
  bundles: BundleStore & DuplicateStore
  comparison: ComparisonStore
  events: EventStore
  deliveries: DeliveryStore
  depositKeys: DepositKeyStore
  deposits: DepositStore
  grants: GrantStore
  heldDeliveries: HeldDeliveryStore
  holders: HolderStore
  invitations: InvitationStore
  keys: KeyStore
  keyBatches: KeyBatchStore
  keyVersions: KeyVersionStore
  imports: LibraryImportStore
  legacyItems: LegacyItemStore
  machineCallers: MachineCallerStore
  machineDeliveries: MachineDeliveryStore
  machines: MachineStore
  machineTokens: MachineTokenStore
  machineTrusts: MachineTrustStore
  members: MemberStore
  memberships: MembershipStore
  moves: LibraryMoveStore
  policies: PolicyStore
  passkeys: PasskeyStore
  tenants: TenantStore
  users: UserStore
  valueOrigins: ValueOriginStore
  webhooks: WebhookStore
  webhookLog: WebhookLogStore
  webhookOutbox: WebhookOutbox
}
