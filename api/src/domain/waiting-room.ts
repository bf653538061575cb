import type { ApprovalStore } from './approval-store.ts'

/** How long to hold, and what ends it early. */
export type HoldOptions = { requestId: string; ms: number; signal: AbortSignal }

/** Where held callers sit: each is woken by the bell of its request, by its time, by the end of its connection, or all
 * at once when the process stops. Nothing is polled meanwhile. */
export class WaitingRoom {
  readonly #approvals: ApprovalStore
  readonly #holds = new Set<Hold>()
  #isClosed = false

  constructor(approvals: ApprovalStore) {
    this.#approvals = approvals
  }

  /** Begins to listen at once: what rings from now on ends the next `rung()`, even before it is called. */
  hold({ requestId, ms, signal }: HoldOptions): Hold {
    const hold = new Hold(() => this.#holds.delete(hold))
    this.#holds.add(hold)
    hold.endsWith(this.#approvals.watch(requestId, () => hold.ring()))
    hold.endsAfter(ms, signal)
    if (this.#isClosed) hold.finish()
    return hold
  }

  /** How many callers are held. */
  get size(): number {
    return this.#holds.size
  }

  /** Finishes every hold, and each that is still to come. */
  close(): void {
    this.#isClosed = true
    for (const hold of this.#holds) hold.finish()
  }
}

/** One held caller. */
export class Hold {
  #hasRung = false
  #isOver = false
  #wake: (() => void) | null = null
  readonly #ends: (() => void)[]

  constructor(leave: () => void) {
    this.#ends = [leave]
  }

  /** No further ring will come: the time is over, the connection broke, or the process stops. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Resolves at the next ring or the end, at once when one came since the last time. */
  async rung(): Promise<void> {
    if (!this.#hasRung && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#hasRung = false
  }

  ring(): void {
    this.#hasRung = true
    this.#wake?.()
    this.#wake = null
  }

  finish(): void {
    this.#isOver = true
    this.ring()
  }

  endsWith(end: () => void): void {
    this.#ends.push(end)
  }

  endsAfter(ms: number, signal: AbortSignal): void {
    const finish = () => this.finish()
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
    if (signal.aborted) finish()
    this.endsWith(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
    })
  }

  /** Stops listening; to be called once, whatever happened. */
  [Symbol.dispose](): void {
    for (const end of this.#ends) end()
  }
}
