import type { WatchStore } from './approvals/effects.ts'
import type { GrantStore } from './approvals/grant.ts'
import type { PolicyStore } from './approvals/policy.ts'
import type { AuditStore } from './audit/audit.ts'
import type { EventStore } from './base/event.ts'
import type { DeliveryStore } from './deliveries/delivery.ts'
import type { HolderStore } from './deliveries/holder.ts'
import type { UseStore } from './deliveries/use.ts'
import type { LastApprovalStore } from './kinds/last-approval.ts'
import type { AttachmentStore } from './library/attachment.ts'
import type { BundleStore } from './library/bundle.ts'
import type { ValueOriginStore } from './library/bundle-entry.ts'
import type { MarkStore } from './library/bundle-marks.ts'
import type { ComparisonStore } from './library/comparison.ts'
import type { DuplicateStore } from './library/duplicate.ts'
import type { KeyStore } from './library/key.ts'
import type { KeyBatchStore } from './library/key-batch.ts'
import type { KeyVersionStore } from './library/key-version.ts'
import type { LegacyItemStore } from './library/legacy-item.ts'
import type { SplitStore } from './library/split.ts'
import type { ApprovalKeyStore } from './people/approval-key.ts'
import type { GroupStore } from './people/group.ts'
import type { InvitationStore } from './people/invitation.ts'
import type { LastingActStore } from './people/lasting-act.ts'
import type { MemberStore } from './people/member.ts'
import type { MembershipStore } from './people/membership.ts'
import type { TenantStore } from './people/tenant.ts'
import type { TouchUseStore } from './people/touch.ts'
import type { TouchFactStore } from './people/touch-facts.ts'
import type { UserStore } from './people/user.ts'
import type { DepositStore } from './requests/deposit-record.ts'
import type { DepositKeyStore } from './transfer/deposit-key.ts'
import type { LibraryImportStore } from './transfer/library-import.ts'
import type { LibraryMoveStore } from './transfer/library-move.ts'
import type { ProposalStore } from './transfer/proposal.ts'

/** Every store of the domain. Each interface is declared beside the rules that use it. */
export type Stores = {
  approvalKeys: ApprovalKeyStore
  audit: AuditStore
  attachments: AttachmentStore & SplitStore
  bundles: BundleStore & DuplicateStore & MarkStore
  comparison: ComparisonStore
  events: EventStore
  deliveries: DeliveryStore
  depositKeys: DepositKeyStore
  deposits: DepositStore
  grants: GrantStore
  groups: GroupStore
  holders: HolderStore
  invitations: InvitationStore
  keys: KeyStore
  keyBatches: KeyBatchStore
  keyVersions: KeyVersionStore
  imports: LibraryImportStore
  lastingActs: LastingActStore
  legacyItems: LegacyItemStore
  members: MemberStore
  memberships: MembershipStore
  moves: LibraryMoveStore
  policies: PolicyStore
  proposals: ProposalStore
  tenants: TenantStore
  touchFacts: TouchFactStore & WatchStore
  touchUses: TouchUseStore
  users: UserStore
  uses: UseStore
  valueOrigins: ValueOriginStore
  lastApprovals: LastApprovalStore
}
