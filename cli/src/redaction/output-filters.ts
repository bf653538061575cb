import type { Output, ProgramStart, Values } from '../ground/parts.ts'

/** When to replace values in a program's output. `auto`: where an AI agent reads it, that is, if an agent started this
 * client, for each stream that is not a terminal. */
export type Redaction = 'auto' | 'always' | 'never'

type Reading = {
  readonly redaction: Redaction
  readonly agent: string | null
  readonly stdout: Output
  readonly stderr: Output
}

/** The filters for the output of a program that gets these values. */
export async function outputFilters(values: Values, reading: Reading): Promise<ProgramStart['filters']> {
  const { stdout, stderr } = reading
  const [isStdout, isStderr] = [isRedacted(stdout, reading), isRedacted(stderr, reading)]
  if (!isStdout && !isStderr) return { stdout: null, stderr: null }
  const [{ patternsOf }, { redactedStream }] = await Promise.all([
    import('./patterns.ts'),
    import('./redacted-stream.ts'),
  ])
  const patterns = patternsOf(values)
  const filter = () => redactedStream(patterns)
  return { stdout: isStdout ? filter() : null, stderr: isStderr ? filter() : null }
}

function isRedacted({ isTerminal }: Output, { redaction, agent }: Reading): boolean {
  return redaction === 'always' || (redaction === 'auto' && agent !== null && !isTerminal)
}
