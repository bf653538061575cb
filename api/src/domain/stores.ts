import type { MembershipStore } from './membership.ts'
import type { UserStore } from './user.ts'

/** All that the rules keep, each part's interface standing with the rule that uses it. */
export type Stores = {
  memberships: MembershipStore
  users: UserStore
}
