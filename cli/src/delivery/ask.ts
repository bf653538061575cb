import type { ViewName } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import type { Speaker } from '../machine/speaker.ts'

/** What is requested from a server, and how progress is shown. */
export type Ask = {
  readonly server: string
  /** Who asks. */
  readonly as: Speaker
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
  /** The contract's name for the format of the values. */
  readonly format: string
  /** The command that gets the values, as the approver sees it. */
  readonly command: readonly string[]
  /** Whether a program gets the values, or they are written. */
  readonly via: 'run' | 'pull'
  /** The AI agent that started this client; null: a person did, as far as one can tell. */
  readonly agent: string | null
  /** Why the values are needed, for the approver. */
  readonly reason: string | null
  /** How the approval must come back; null: as the server demands. */
  readonly requiredAssurance: 'bound' | 'local' | null
  /** Where to write the receipt; null: nowhere. */
  readonly receiptFile: string | null
  /** Whether the approver may let this terminal repeat the approval, and an earlier one counts. */
  readonly isRemembered: boolean
  /** Why not to open the browser; null to open it. */
  readonly whyNotOpen: string | null
  readonly hidesQrCode: boolean
  readonly view: ViewName
  /** The command line to store with the request, so that it can be resumed; null: do not store the request. */
  readonly keepAs: readonly string[] | null
  /** An earlier request to continue; null: make a new one. */
  readonly pending: PendingRequest | null
}
