import type { KeyPair } from '@keyferry/crypto/key-pair'

/** A request that waits for a person, with all that it takes to fetch and open what comes. */
export type PendingRequest = {
  readonly server: string
  readonly id: string
  readonly keyPair: KeyPair
  readonly verifier: string
  readonly approvalUrl: string
  /** As worked out here. */
  readonly userCode: string
  /** Whether the approver has to type the code; false: they compare it. */
  readonly isCodeTyped: boolean
  readonly intervalMs: number
  readonly lifetimeMs: number
  /** Monotonic time at which it ends. */
  readonly deadlineMs: number
}
