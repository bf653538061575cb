import { ApprovedRun, type RunHost, type WantedRun } from './approved-run.ts'

const MAX_RUNS = 8

export type HeldRun = {
  readonly id: string
  readonly of: string
  readonly run: ApprovedRun
  /** Whether the client was asked to show the approval page. */
  isShown: boolean
}

/** The runs of one connection. A tool call may end before its run does; the same call again continues the run. */
export class Runs {
  readonly #held = new Map<string, HeldRun>()
  readonly #cancelling = new Set<Promise<void>>()
  #begun = 0

  /** The run with this id, else the one of the same command, else a new one; null if there are too many. */
  continueOrBegin(id: string | undefined, wanted: WantedRun, host: RunHost): HeldRun | null {
    const of = JSON.stringify(wanted)
    const held = [...this.#held.values()].find((each) => (id === undefined ? each.of === of : each.id === id))
    if (held !== undefined) return held
    if (this.#held.size >= MAX_RUNS) return null
    return this.#begin(of, new ApprovedRun(wanted, host))
  }

  async cancel({ id, run }: HeldRun): Promise<void> {
    this.#held.delete(id)
    const cancelling = run.cancel()
    this.#cancelling.add(cancelling)
    await cancelling
    this.#cancelling.delete(cancelling)
  }

  /** Resolves when nothing runs or waits any more. */
  async cancelAll(): Promise<void> {
    for (const held of this.#held.values()) void this.cancel(held)
    await Promise.all(this.#cancelling)
  }

  /** The run ended, and its result was returned. */
  forget({ id }: HeldRun): void {
    this.#held.delete(id)
  }

  #begin(of: string, run: ApprovedRun): HeldRun {
    this.#begun += 1
    const held = { id: String(this.#begun), of, run, isShown: false }
    this.#held.set(held.id, held)
    return held
  }
}
