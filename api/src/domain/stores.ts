import type { AccountStore } from './account.ts'
import type { AttachmentStore } from './attachment.ts'
import type { BundleStore } from './bundle.ts'
import type { InvitationStore } from './invitation.ts'
import type { KeyStore } from './key.ts'
import type { LegacyItemStore } from './legacy-item.ts'
import type { MemberStore } from './member.ts'
import type { MembershipStore } from './membership.ts'
import type { TenantStore } from './tenant.ts'
import type { UserStore } from './user.ts'

/** All that the rules keep, each part's interface standing with the rule that uses it. */
export type Stores = {
  accounts: AccountStore
  attachments: AttachmentStore
  bundles: BundleStore
  invitations: InvitationStore
  keys: KeyStore
  legacyItems: LegacyItemStore
  members: MemberStore
  memberships: MembershipStore
  tenants: TenantStore
  users: UserStore
}
