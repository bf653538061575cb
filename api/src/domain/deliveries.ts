import { setTimeout as sleep } from 'node:timers/promises'
import type { ApprovalStore } from './approval-store.ts'
import type { Source } from './source.ts'

const ATTEMPTS = 8
const FIRST_PAUSE_MS = 100

/** Ends every claim by what became of its ciphertext. A store that is away for a moment is tried again for some
 * seconds; a claim that cannot be ended stands until the lifetime ends, which delivers nothing twice. */
export class Deliveries {
  readonly #approvals: ApprovalStore
  readonly #source: Source
  readonly #open = new Set<Promise<void>>()

  constructor(approvals: ApprovalStore, source: Source) {
    this.#approvals = approvals
    this.#source = source
  }

  /** For one claim: `delivered` once the ciphertext was handed over, or `broken` if it was not; then whoever asks next
   * may have it. */
  of(requestId: string): { delivered: () => void; broken: () => void } {
    return {
      delivered: () => this.#end(() => this.#approvals.remove(requestId)),
      broken: () => this.#end(() => this.#approvals.release(requestId, this.#source.now().getTime())),
    }
  }

  /** Resolves when no claim is left to be ended; to be awaited before the store is closed. */
  async settled(): Promise<void> {
    await Promise.all(this.#open)
  }

  #end(step: () => Promise<void>): void {
    const ending = tryAgain(step).finally(() => this.#open.delete(ending))
    this.#open.add(ending)
  }
}

async function tryAgain(step: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await step()
    } catch {
      await sleep(FIRST_PAUSE_MS * 2 ** attempt, undefined, { ref: false })
    }
  }
}
