import type { KeyPair } from '@keyferry/crypto/key-pair'

/** A request that waits for approval, with everything needed to fetch and open the delivery. */
export type PendingRequest = {
  readonly server: string
  readonly id: string
  readonly keyPair: KeyPair
  readonly verifier: string
  readonly approvalUrl: string
  /** The address of the same page for a person to read or copy: the short one, if the server has it. */
  readonly shownUrl: string
  /** As computed by this client. */
  readonly userCode: string
  readonly intervalMs: number
  readonly lifetimeMs: number
  /** Monotonic time at which it ends. */
  readonly deadlineMs: number
  /** The approval that it repeats, or the task that it is part of; null: a person has to approve. */
  readonly remembered: {
    readonly expiresAtMs: number
    readonly usesLeft: number
    readonly isTask: boolean
  } | null
  /** Why a person is asked although an approval is remembered, in words; null: none is. */
  readonly whyNotRemembered: string | null
  /** Stopped by a signal, the client may leave the request, so that a person can approve the next run. */
  readonly mayLeave: boolean
  /** With it, the server says whether a crash lost the request; null: it does not know. */
  readonly epoch: string | null
}

/** The other person that a request waits for. `count`: how many may decide. `deadlineMs`: until when, a monotonic time;
 * null: as before. */
export type WaitedFor = {
  readonly who: 'second' | 'owner' | 'named'
  readonly count: number | null
  readonly deadlineMs: number | null
}
