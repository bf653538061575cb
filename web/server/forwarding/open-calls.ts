import type { FastifyReply } from 'fastify'

/** Open calls to the API. A call ends when its caller disconnects before the answer. At shutdown those that wait at
 * the API end first, and all in the end. */
export class OpenCalls {
  readonly #open = new Set<AbortController>()
  readonly #waits = new Set<AbortController>()
  #areEnded = false

  /** Whether `endWaits` was called: from then on, this layer itself aborts calls. */
  get areEnded(): boolean {
    return this.#areEnded
  }

  /** @param isWait whether the API may keep the call open for long
   * @returns a signal that aborts when the call must end */
  begin(reply: FastifyReply, isWait: boolean): AbortSignal {
    const controller = new AbortController()
    const open = isWait ? this.#waits : this.#open
    open.add(controller)
    reply.raw.once('close', () => {
      open.delete(controller)
      if (!reply.raw.writableFinished) controller.abort()
    })
    if ((this.#areEnded && isWait) || reply.raw.destroyed) controller.abort()
    return controller.signal
  }

  endWaits(): void {
    this.#areEnded = true
    for (const controller of this.#waits) controller.abort()
  }

  endAll(): void {
    for (const controller of this.#open) controller.abort()
  }
}
