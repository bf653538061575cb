/** An ENV text that cannot be read, or variables that a format cannot express. The message names lines and names, and
 * repeats no value: it may be a secret. */
export class EnvError extends Error {
  override readonly name = 'EnvError'
  /** Counted from 1; null where no single line is at fault. */
  readonly line: number | null
  /** The message without the line. */
  readonly problem: string
  /** The variables at fault, where they are known. */
  readonly names: readonly string[]

  constructor(problem: string, options: ErrorOptions & { line?: number; names?: readonly string[] } = {}) {
    const { line = null, names = [] } = options
    super(line === null ? problem : `line ${line}: ${problem}`, options)
    this.line = line
    this.problem = problem
    this.names = names
  }
}
