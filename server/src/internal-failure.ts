/** End the process on a failure that nobody caught, saying where it arose and not what it says: its message may repeat
 * what a caller sent. */
export function endOnInternalFailure(): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`keyferry-server: internal failure: ${traceOf(error)}\n`)
    process.exit(1)
  })
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...frames.slice(0, 8)].join('\n')
}
