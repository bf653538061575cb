/** What to deliver. Everything that is left out comes from `keyferry.json` and the environment, as for the command. */
export type DeliverOptions = {
  /** Name or id of the bundle. */
  readonly bundle?: string
  /** Name or id of the workspace to look for the bundle in. */
  readonly workspace?: string
  /** Request only these keys. All must be delivered. */
  readonly keys?: readonly string[]
  /** Request these keys too, and go on without those that are not delivered. */
  readonly optionalKeys?: readonly string[]
  /** Address of the server. */
  readonly server?: string
  /** `machine`: use a machine credential. `person`: ask for an approval. Left out: machine if a credential is set. */
  readonly as?: 'person' | 'machine'
  /** Tell the approver why. */
  readonly reason?: string
  /** Let an AI agent that started this program read the values; the approver sees it. */
  readonly forAgent?: boolean
  /** Names to accept even though they can make programs load code, such as NODE_OPTIONS. */
  readonly allowNames?: readonly string[]
  /** Open the approval page in a browser of this machine. */
  readonly open?: boolean
  /** Called when a person has to approve. Without it, the link and the check code are printed to standard error. */
  readonly onApproval?: (approval: Approval) => void
  /** Gives up, and withdraws the request. */
  readonly signal?: AbortSignal
}

/** A request that waits for a person. */
export type Approval = {
  /** The approval page. */
  readonly link: string
  /** The page shows the same, or asks for it. */
  readonly checkCode: string
  readonly expiresInSeconds: number
}

/** - `usage`: options that cannot be used. - `denied`: a person denied the request, or the machine was refused.
 * - `expired`: not approved in time. - `network`: no answer from the server. - `refused`: an answer that the client
 *   does not use. - `aborted`: by `signal`. - `failed`: anything else. */
export type KeyferryErrorCode = 'usage' | 'denied' | 'expired' | 'network' | 'refused' | 'aborted' | 'failed'

/** Why there are no values. The message and `next` contain no value. */
export class KeyferryError extends Error {
  override readonly name = 'KeyferryError'
  readonly code: KeyferryErrorCode
  /** What to do. */
  readonly next: string

  constructor(code: KeyferryErrorCode, message: string, next: string) {
    super(message)
    this.code = code
    this.next = next
  }
}

/** Get the values of a bundle: as a machine, or by an approval.
 * @returns the values by name
 * @throws KeyferryError */
export type Deliver = (options?: DeliverOptions) => Promise<Record<string, string>>
