/** `stop` resolves when a run that goes on has ended. */
export type Repeating = { start(): void; stop(): Promise<void> }

/** Do some work at an interval, and whenever it is started, one run at a time. A run that fails is reported to
 * `failed`; the next one tries again. */
export function repeating(
  everyMs: number,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): Repeating {
  let run: Promise<void> | null = null
  const start = () => {
    run ??= work()
      .catch(failed)
      .finally(() => {
        run = null
      })
  }
  const timer = setInterval(start, everyMs).unref()
  return {
    start,
    async stop() {
      clearInterval(timer)
      await run
    },
  }
}
