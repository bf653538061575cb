import type { AttachmentStore } from './attachment.ts'
import type { BundleStore } from './bundle.ts'
import type { KeyStore } from './key.ts'
import type { LegacyItemStore } from './legacy-item.ts'
import type { MembershipStore } from './membership.ts'
import type { UserStore } from './user.ts'

/** All that the rules keep, each part's interface standing with the rule that uses it. */
export type Stores = {
  attachments: AttachmentStore
  bundles: BundleStore
  keys: KeyStore
  legacyItems: LegacyItemStore
  memberships: MembershipStore
  users: UserStore
}
