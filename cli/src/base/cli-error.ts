/** A failure as the person reads it: what happened, and what to do next. Neither text contains a value. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  readonly next: string

  constructor(exitCode: ExitCode, message: string, next: string) {
    super(message)
    this.exitCode = exitCode
    this.next = next
  }
}

/** A failure without an exit code of its own (exit code 1). */
export function generalError(message: string, next: string): CliError {
  return new CliError(EXIT.general, message, next)
}

/** An invalid command line (exit code 2). */
export function usageError(message: string, next: string): CliError {
  return new CliError(EXIT.usage, message, next)
}

/** An answer of the server that this client does not use (exit code 6). */
export function refusedAnswer(message: string): CliError {
  return refusedError(message, 'Check the server address. Nothing from this answer was used.')
}

/** What the server answered or delivered must not be used (exit code 6). */
export function refusedError(message: string, next: string): CliError {
  return new CliError(EXIT.refused, message, next)
}

/** The exit codes of the client. Once the program has started, `run` exits with the program's code. */
export const EXIT = {
  ok: 0,
  general: 1,
  // As diff(1) does.
  different: 1,
  usage: 2,
  denied: 3,
  expired: 4,
  network: 5,
  refused: 6,
  cannotStart: 126,
  notFound: 127,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The code of a system error, such as ENOENT; `unknown` without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
