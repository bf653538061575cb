import type { FastifyReply } from 'fastify'

/** Calls to the API that somebody still waits for. Each ends when its caller goes away before the answer was handed
 * over, and all end together when this layer does. */
export class OpenCalls {
  readonly #open = new Set<AbortController>()
  #areEnded = false

  /** Whether `endAll` was called: what breaks from then on was broken by us. */
  get areEnded(): boolean {
    return this.#areEnded
  }

  /** @returns aborts when the call is to end */
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
