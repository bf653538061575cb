import { EXIT, type ExitCode } from './exit-code.ts'

/** A failure as the person reads it: what happened, and what to do next. Neither text contains a value. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  readonly next: string

  constructor(exitCode: ExitCode, message: string, next: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
    this.next = next
  }
}

/** An invalid command line (exit code 2). */
export function usageError(message: string, next: string): CliError {
  return new CliError(EXIT.usage, message, next)
}

/** An answer of the server that this client does not use (exit code 6). */
export function refusedAnswer(message: string, options?: ErrorOptions): CliError {
  return new CliError(
    EXIT.refused,
    message,
    'Check the server address. Nothing from this answer was used.',
    options,
  )
}
