import type { Parts, Values } from '../ground/parts.ts'

/** In GitHub Actions, have each line of each value replaced in the log of the job. Values that a log shows all the time,
 * such as `1` or `true`, are left alone.
 * Source: docs.github.com, "Workflow commands", add-mask. */
export function maskInJobLog(values: Values, { env, stderr }: Pick<Parts, 'env' | 'stderr'>): void {
  if (env['GITHUB_ACTIONS'] !== 'true') return
  const lines = [...values.values()].flatMap((value) => value.split(/\r\n|[\r\n]/))
  for (const line of new Set(lines)) {
    if (line.trim().length >= SHORTEST_MASKED) stderr.write(`::add-mask::${escaped(line)}\n`)
  }
}

const SHORTEST_MASKED = 4

function escaped(line: string): string {
  return line.replaceAll('%', '%25')
}
