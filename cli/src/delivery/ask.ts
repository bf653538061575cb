import type { ViewName } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'

/** What is asked of a server, and how the asking is shown. */
export type Ask = {
  readonly server: string
  readonly bundle: string | null
  /** The names asked for; empty: whatever the approver chooses. */
  readonly keys: readonly string[]
  /** The contract's name of the form the values will be used in. */
  readonly format: string
  /** What will get the values, as the approver shall see it. */
  readonly command: readonly string[]
  /** Why the browser is not to be opened; null to open it. */
  readonly whyNotOpen: string | null
  readonly view: ViewName
  /** Where a request can be taken up again from: the whole command line, to be kept beside it; null not to keep it. */
  readonly keepAs: readonly string[] | null
  /** A request made earlier, to go on with instead of making one. */
  readonly pending: PendingRequest | null
}
