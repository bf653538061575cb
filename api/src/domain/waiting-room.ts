import type { ApprovalStore } from './approval-store.ts'

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
  hold(requestId: string, ms: number): Hold {
    const hold = new Hold(ms, this.#holds)
    hold.listen(this.#approvals, requestId)
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

/** One held caller. There may be tens of thousands, so each is one object and one timer. */
export class Hold {
  #hasRung = false
  #isOver = false
  #wake: (() => void) | null = null
  #unwatch: (() => void) | null = null
  readonly #timer: NodeJS.Timeout
  readonly #holds: Set<Hold>

  constructor(ms: number, holds: Set<Hold>) {
    this.#timer = setTimeout(finish, ms, this)
    this.#holds = holds.add(this)
  }

  /** No further ring will come: the time is over, the connection broke, or the process stops. */
  get isOver(): boolean {
    return this.#isOver
  }

  listen(approvals: ApprovalStore, requestId: string): void {
    this.#unwatch = approvals.watch(requestId, () => this.#ring())
  }

  /** Resolves at the next ring or the end, at once when one came since the last time. */
  rung(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (this.#hasRung || this.#isOver) resolve()
    else this.#wake = resolve
    this.#hasRung = false
    return promise
  }

  finish(): void {
    this.#isOver = true
    this.#ring()
  }

  /** Stops listening. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#unwatch?.()
    this.#holds.delete(this)
  }

  #ring(): void {
    if (this.#wake === null) this.#hasRung = true
    else this.#wake()
    this.#wake = null
  }
}

function finish(hold: Hold): void {
  hold.finish()
}
