import { setTimeout as sleep } from 'node:timers/promises'
import type { JoinedStores, Together } from '../approvals/together.ts'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { unclaimStep } from '../requests/request-steps.ts'
import type { RequestStore } from '../requests/request-store.ts'

type DeliveryParts = { requests: Pick<RequestStore, 'change'>; together: Together; clock: ClockAndIds }

const END_ATTEMPTS = 8
const FIRST_PAUSE_MS = 100

/** Ends each claim: removes the request if its values were delivered, in the transaction that records it, and releases
 * the claim if they were not. It retries for some seconds while the store is unavailable. A claim that cannot be ended
 * lasts until the request expires, so that nothing is delivered twice. */
export class Deliveries {
  readonly #parts: DeliveryParts
  readonly #open = new Set<Promise<void>>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  /** For one claim: call `delivered` after the ciphertext was delivered, or `broken` if it was not, so that the client
   * can try again. `confirm` records the delivery. */
  of(
    { requestId, claimId }: { requestId: string; claimId: string },
    confirm: (own: JoinedStores) => Promise<void> = async () => {},
  ): { delivered: () => void; broken: () => void } {
    const { requests, together, clock } = this.#parts
    const nowMs = () => clock.now().getTime()
    const remove = async (own: JoinedStores) => {
      await Promise.all([own.requests.remove(requestId), confirm(own)])
    }
    const giveBack = () =>
      requests.change(requestId, nowMs(), (stored) => unclaimStep(stored, claimId)).catch(ignoreGone)
    return {
      delivered: () => this.#end(() => together(remove)),
      broken: () => this.#end(giveBack),
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

  #end(step: () => Promise<void>): void {
    const ending = tryAgain(step).finally(() => this.#open.delete(ending))
    this.#open.add(ending)
  }
}

// There is nothing to give back any more.
function ignoreGone(error: unknown): void {
  const isGone =
    error instanceof DomainError && (error.code === 'not_found' || error.code === 'request_expired')
  if (!isGone) throw error
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
