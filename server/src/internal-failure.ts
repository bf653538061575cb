import { failureFacts } from '@keyferry/plumbing/failure'

/** End the process on an uncaught failure, and print where it arose. Its message may repeat what a caller sent, so it
 * is not printed. */
export function endOnInternalFailure(): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`keyferry-server: internal failure: ${traceOf(error)}\n`)
    process.exit(1)
  })
}

function traceOf(failure: unknown): string {
  const { error, frames } = failureFacts(failure)
  return [error, ...frames.map((line) => `    ${line}`)].join('\n')
}
