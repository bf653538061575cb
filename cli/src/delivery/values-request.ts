import type { Values } from '../base/parts.ts'
import type { Speaker } from '../machine/credential.ts'
import type { Redaction } from '../redaction/redacted-stream.ts'

/** Who requests something of which bundle, and how it is approved. */
export type RequestOptions = {
  readonly server: string
  /** Id or name; null: the approver picks one. */
  readonly bundle: string | null
  /** Id or name of the workspace to look for the bundle in; null: any. */
  readonly workspace: string | null
  /** The command names the workspace, not `keyferry.json`. */
  readonly isWorkspaceFlag: boolean
  /** Of `keyferry.json`, or else the current one: for it the person confirms a workspace. */
  readonly folder: string
  /** The command as the approver sees it. */
  readonly command: readonly string[]
  /** The AI agent that started this client; null: a person did, as far as one can tell. */
  readonly agent: string | null
  /** For the approver. */
  readonly reason: string | null
  /** Where to write the receipt; null: nowhere. */
  readonly receiptFile: string | null
  /** Why not to open the browser; null to open it. */
  readonly whyNotOpen: string | null
  readonly hidesQrCode: boolean
}

/** A request for values. */
export type ValuesRequest = RequestOptions & {
  /** Who asks. */
  readonly as: Speaker
  /** Use what is delivered even if it comes from another bundle or workspace. */
  readonly acceptsAnyBundle: boolean
  /** The requested names; empty: whatever the approver chooses. */
  readonly keys: readonly string[]
  /** Those of `keys` that may be missing. */
  readonly optionalKeys: readonly string[]
  /** What to put before each delivered name. */
  readonly prefix: string
  /** Names to take although they can make programs load code. */
  readonly allowedNames: readonly string[]
  /** The contract's name for the format of the values. */
  readonly format: string
  /** Whether a program gets the values, or they are written. */
  readonly via: 'run' | 'pull'
  /** How the approval must come back; null: as the server demands. */
  readonly requiredAssurance: 'bound' | 'local' | null
  /** Whether the approver may let this terminal repeat the approval, and an earlier one counts. */
  readonly isRemembered: boolean
  /** What a remembered approval covers besides the command and its reason: what the output of the program hides, and
   * the flags of the command. */
  readonly use: { readonly redaction: Redaction; readonly flags: readonly string[] }
  /** The person's own values, which replace delivered ones. */
  readonly own?: Values
  /** Names that the project lists and this environment lacks. */
  readonly expected?: readonly string[]
  /** Why the approval has to be remembered. */
  readonly needsMemory?: string
}

/** What a client was given. */
export type ValuesDelivery = {
  readonly values: Values
  /** Those of the values that are secret. */
  readonly secrets: Values
  /** Under which the server keeps the record of the delivery; null if it does not say. */
  readonly deliveryId: string | null
  readonly versions: readonly Version[]
}

/** Of a value that was delivered. */
export type Version = { readonly name: string; readonly version: number }
