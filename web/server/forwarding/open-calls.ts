import type { FastifyReply } from 'fastify'

/** Open calls to the API. A call ends when its caller disconnects before the answer. At shutdown those that the API
 * holds end first, and all in the end. */
export class OpenCalls {
  readonly #open = new Set<AbortController>()
  readonly #held = new Set<AbortController>()
  #areEnded = false

  /** Whether `endHeld` was called: from then on, this layer itself aborts calls. */
  get areEnded(): boolean {
    return this.#areEnded
  }

  /** @param isHeld whether the API may hold the call for long
   * @returns a signal that aborts when the call must end */
  begin(reply: FastifyReply, isHeld: boolean): AbortSignal {
    const controller = new AbortController()
    const open = isHeld ? this.#held : this.#open
    open.add(controller)
    reply.raw.once('close', () => {
      open.delete(controller)
      if (!reply.raw.writableFinished) controller.abort()
    })
    if ((this.#areEnded && isHeld) || reply.raw.destroyed) controller.abort()
    return controller.signal
  }

  endHeld(): void {
    this.#areEnded = true
    for (const controller of this.#held) controller.abort()
  }

  endAll(): void {
    for (const controller of this.#open) controller.abort()
  }
}
