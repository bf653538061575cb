import { setTimeout as sleep } from 'node:timers/promises'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { removeStep, unclaimStep } from '../requests/request-steps.ts'
import type { RequestStore, Step } from '../requests/request-store.ts'

const END_ATTEMPTS = 8
const FIRST_PAUSE_MS = 100

/** Ends each claim: removes the request if its values were delivered, releases the claim if they were not. It retries
 * for some seconds while the store is unavailable. A claim that cannot be ended lasts until the request expires, so
 * that nothing is delivered twice. */
export class Deliveries {
  readonly #requests: RequestStore
  readonly #clock: ClockAndIds
  readonly #open = new Set<Promise<void>>()

  constructor(requests: RequestStore, clock: ClockAndIds) {
    this.#requests = requests
    this.#clock = clock
  }

  /** For one claim: call `delivered` after the ciphertext was delivered, or `broken` if it was not, so that the client
   * can try again. `confirm` records the delivery after the request is removed. */
  of(
    { requestId, claimId }: { requestId: string; claimId: string },
    confirm: () => Promise<void> = async () => {},
  ): { delivered: () => void; broken: () => void } {
    return {
      delivered: () => this.#end(() => this.#change(requestId, removeStep), confirm),
      broken: () => this.#end(() => this.#change(requestId, (stored) => unclaimStep(stored, claimId))),
    }
  }

  /** Take a step that must not fail the call that it follows; it is tried again for some seconds. */
  afterwards(step: () => Promise<void>): void {
    this.#end(step)
  }

  /** Resolves when every claim has ended; await it before the store is closed. */
  async settled(): Promise<void> {
    await Promise.all(this.#open)
  }

  async #change(requestId: string, step: Step<void>): Promise<void> {
    await this.#requests.change(requestId, this.#clock.now().getTime(), step)
  }

  #end(...steps: readonly (() => Promise<void>)[]): void {
    const ending = inOrder(steps).finally(() => this.#open.delete(ending))
    this.#open.add(ending)
  }
}

async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  for (const step of steps) await tryAgain(step)
}

async function tryAgain(step: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < END_ATTEMPTS; attempt++) {
    try {
      return await step()
    } catch {
      await sleep(FIRST_PAUSE_MS * 2 ** attempt, undefined, { ref: false })
    }
  }
}
