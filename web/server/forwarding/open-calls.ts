import type { FastifyReply } from 'fastify'

/** Open calls to the API. A call ends when its caller disconnects before the answer, and all end at shutdown. */
export class OpenCalls {
  readonly #open = new Set<AbortController>()
  #areEnded = false

  /** Whether `endAll` was called: from then on, this layer itself aborts calls. */
  get areEnded(): boolean {
    return this.#areEnded
  }

  /** @returns a signal that aborts when the call must end */
  begin(reply: FastifyReply): AbortSignal {
    const controller = new AbortController()
    this.#open.add(controller)
    reply.raw.once('close', () => {
      this.#open.delete(controller)
      if (!reply.raw.writableFinished) controller.abort()
    })
    if (this.#areEnded || reply.raw.destroyed) controller.abort()
    return controller.signal
  }

  endAll(): void {
    this.#areEnded = true
    for (const controller of this.#open) controller.abort()
  }
}
