import type { CliError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { terminalStyle } from './terminal-style.ts'

/** Say to a person what failed, and what to do next. */
export function showFailure(
  { message, next }: Pick<CliError, 'message' | 'next'>,
  { stderr, env, platform }: Pick<Parts, 'stderr' | 'env' | 'platform'>,
): void {
  const mark = stderr.isTerminal ? terminalStyle(stderr, env, platform).refused : 'keyferry:'
  stderr.write(`${mark} ${message}\n  ${next}\n`)
}
