import { failureFacts } from '@keyferry/plumbing/failure'

/** Exit on an uncaught failure and print where it arose. Do not print its message, which can contain what a caller
 * sent. */
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
