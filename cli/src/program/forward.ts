import type { ProgramStart } from '../ground/parts.ts'
import { onForwardedSignals, type StartOptions, startChild } from './child.ts'

/** Run the program as a child process with our input and output, and forward signals to it.
 * @returns its exit code, or 128 plus the signal's number
 * @throws CliError 126 · 127 */
export async function forwardTo(
  start: ProgramStart,
  { platform, beforeHandover }: StartOptions,
): Promise<number> {
  const child = startChild(start, { platform, hasOwnGroup: false })
  // Before the handover: a signal that arrives while nothing listens is lost.
  const stop = onForwardedSignals((signal, isSeen) => isSeen || child.process.kill(signal))
  beforeHandover()
  try {
    return await child.ended
  } finally {
    stop()
  }
}
