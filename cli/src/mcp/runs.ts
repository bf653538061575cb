import { ApprovedRun, type RunHost, type WantedRun } from './approved-run.ts'

const MAX_RUNS = 8

export type KeptRun = {
  readonly id: string
  readonly of: string
  readonly run: ApprovedRun
  /** Whether the client was asked to show the approval page. */
  isShown: boolean
}

/** The runs of one connection. A tool call may end before its run does; the same call again continues the run. */
export class Runs {
  readonly #kept = new Map<string, KeptRun>()
  readonly #cancelling = new Set<Promise<void>>()
  #begun = 0

  /** The run with this id, else the one of the same command, else a new one; null if there are too many. */
  continueOrBegin(id: string | undefined, wanted: WantedRun, host: RunHost): KeptRun | null {
    const of = JSON.stringify(wanted)
    const kept = [...this.#kept.values()].find((each) => (id === undefined ? each.of === of : each.id === id))
    if (kept !== undefined) return kept
    if (this.#kept.size >= MAX_RUNS) return null
    return this.#begin(of, new ApprovedRun(wanted, host))
  }

  async cancel({ id, run }: KeptRun): Promise<void> {
    this.#kept.delete(id)
    const cancelling = run.cancel()
    this.#cancelling.add(cancelling)
    await cancelling
    this.#cancelling.delete(cancelling)
  }

  /** Resolves when nothing runs or waits any more. */
  async cancelAll(): Promise<void> {
    for (const kept of this.#kept.values()) void this.cancel(kept)
    await Promise.all(this.#cancelling)
  }

  /** The run ended, and its result was returned. */
  forget({ id }: KeptRun): void {
    this.#kept.delete(id)
  }

  #begin(of: string, run: ApprovedRun): KeptRun {
    this.#begun += 1
    const kept = { id: String(this.#begun), of, run, isShown: false }
    this.#kept.set(kept.id, kept)
    return kept
  }
}
