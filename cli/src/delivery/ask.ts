import type { ViewName } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'

/** What is asked of a server, and how the asking is shown. */
export type Ask = {
  readonly server: string
  /** Id or name; null: the approver picks one. */
  readonly bundle: string | null
  /** Id or name of the workspace to look for the bundle in; null: any. */
  readonly workspace: string | null
  /** Use what is delivered even if it comes from another bundle or workspace. */
  readonly acceptsAnyBundle: boolean
  /** The requested names; empty: whatever the approver chooses. */
  readonly keys: readonly string[]
  /** Those of `keys` that may be missing. */
  readonly optionalKeys: readonly string[]
  /** The contract's name of the form the values will be used in. */
  readonly format: string
  /** What will get the values, as the approver shall see it. */
  readonly command: readonly string[]
  /** Why the browser is not to be opened; null to open it. */
  readonly whyNotOpen: string | null
  readonly hidesQrCode: boolean
  readonly view: ViewName
  /** Where a request can be taken up again from: the whole command line, to be kept beside it; null not to keep it. */
  readonly keepAs: readonly string[] | null
  /** A request made earlier, to go on with instead of making one. */
  readonly pending: PendingRequest | null
}
