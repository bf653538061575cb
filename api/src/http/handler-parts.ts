import type { UsedToken } from '@keyferry/crypto/invitation-token'
import type { GrantUseParts } from '../domain/approvals/grant-use.ts'
import type { PolicyParts } from '../domain/approvals/set-policy.ts'
import type { ClockAndIds } from '../domain/base/clock-and-ids.ts'
import type { ChangeParts } from '../domain/collection/changed-values.ts'
import type { WaitParts } from '../domain/collection/request-wait.ts'
import type { ReleaseParts } from '../domain/endings/release.ts'
import type { Deliveries } from '../domain/endings/request-deliveries.ts'
import type { ApprovalParts } from '../domain/kinds/request-approval.ts'
import type { TouchParts } from '../domain/people/touch.ts'
import type { SignUp } from '../domain/people/user.ts'
import type { NewRequestParts } from '../domain/requests/new-request.ts'
import type { Stores } from '../domain/stores.ts'
import type { Limits } from './rate-limit.ts'

type ReceiptKeyFacts = {
  kid: string
  publicKey: Uint8Array
  /** ISO timestamp. */
  createdAt: string
  endorsement: { kid: string; signature: string } | null
}

/** Signs the public half of a deposit key. */
export type DepositKeySigner = (publicKey: Uint8Array) => { kid: string; signature: Uint8Array }

export type RequestHandlerParts = NewRequestParts &
  ApprovalParts &
  WaitParts &
  ReleaseParts &
  GrantUseParts &
  ChangeParts &
  PolicyParts & {
    stores: Stores
    deliveries: Deliveries
    /** Takes back the count of a request by this address. */
    uncountRequest: (address: string, terminal?: string) => Promise<void>
    takeDeposit: Limits['takeDeposit']
  }

/** What handlers need from the program. */
export type HandlerParts = {
  stores: Stores
  clock: ClockAndIds
  requestParts: RequestHandlerParts
  touchParts: TouchParts
  takeNewUser: Limits['takeNewUser']
  authMode: string
  /** The setting OIDC_GROUPS. */
  providedGroups: Readonly<Record<string, string>>
  signUp: SignUp
  /** The keys that sign receipts, the newest first. */
  receiptKeys: readonly ReceiptKeyFacts[]
  signDepositKey: DepositKeySigner
  /** The token of an invitation. */
  invitationTokenOf: (invitationId: string) => string
  usedToken: (sent: string) => UsedToken
  devAllowPlaintext: boolean
  version: string
  /** Names of the stores that do not answer. */
  failingStores: () => Promise<string[]>
  /** Why the audit log is behind, or has what no server wrote; and what else needs an operator. */
  warnings: () => readonly string[]
}
