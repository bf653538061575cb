import { EXIT, type ExitCode } from './exit-code.ts'

/** A failure as a person reads it: what is wrong, and what to do next. Neither text ever holds a value. */
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

/** A command line that cannot be followed (exit code 2). */
export function usageError(message: string, next: string): CliError {
  return new CliError(EXIT.usage, message, next)
}

/** A server whose answers this client does not act on (exit code 6). */
export function refusedAnswer(message: string, options?: ErrorOptions): CliError {
  return new CliError(
    EXIT.refused,
    message,
    'Check that the server address is right; nothing from this answer was used.',
    options,
  )
}
