import type { Logger } from 'pino'

/** Sweep now and then, until the returned function is called; it resolves when a running sweep has ended. A sweep that fails
 * is logged, and the next one tries again. */
export function sweepEvery(
  seconds: number,
  sweep: () => Promise<void>,
  log: Pick<Logger, 'warn'>,
): () => Promise<void> {
  let running = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(sweep).catch((error: unknown) => {
      log.warn({ error: error instanceof Error ? error.name : 'unknown' }, 'sweep')
    })
  }, seconds * 1_000).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}
