import { type EndParts, endApproval } from '../approvals/ending.ts'
import { changeRequest, type RequestParts } from '../requests/request.ts'
import { expireStep } from '../requests/request-steps.ts'

/*
 * Approved values that no client has claimed can be taken back: when their client withdraws the request, or when the
 * request expires. A claim is given only once, so the server claims them itself: then no client has them or can get
 * them, and the delivery is void. Values that a client has claimed may have arrived; their delivery stays as it is.
 */

/** After the end, the server cannot know whether a client has claimed the values. */
const BEFORE_END_MS = 250

/** Takes back what was approved on this node and no client has claimed, right before the request expires. If the node
 * stops before that, the delivery stays `approved`: not confirmed. If the first of two approvals, or that of a list of
 * names, is still held then, this raises an alarm. */
export class ExpiringApprovals {
  readonly #parts: RequestParts & EndParts
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #isClosed = false

  constructor(parts: RequestParts & EndParts) {
    this.#parts = parts
  }

  /** Watch the end of a request that was approved. */
  watch({ id, expiresAtMs }: { id: string; expiresAtMs: number }): void {
    if (this.#isClosed || this.#timers.has(id)) return
    const timer = setTimeout(
      () => {
        this.#timers.delete(id)
        // The delivery stays `approved` if a store is unavailable: it may have arrived.
        void this.#end(id, expiresAtMs).catch(() => {})
      },
      expiresAtMs - this.#parts.clock.now().getTime() - BEFORE_END_MS,
    ).unref()
    this.#timers.set(id, timer)
  }

  close(): void {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
  }

  // A request that waits for another person lives longer than it was known to.
  async #end(requestId: string, expiresAtMs: number): Promise<void> {
    const claimId = this.#parts.clock.newId()
    const found = await changeRequest(this.#parts, requestId, (stored) =>
      expireStep(stored, { claimId, expiresAtMs }),
    )
    if (typeof found === 'number') return this.watch({ id: requestId, expiresAtMs: found })
    if (found === null || typeof found === 'string') return
    await endApproval(this.#parts, found, { reason: 'expired', origin: null })
  }
}
