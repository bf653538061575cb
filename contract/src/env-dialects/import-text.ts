/** One variable as a file gives it. `line` counts from 1; null in JSON. */
export type ImportEntry = { readonly name: string; readonly value: string; readonly line: number | null }

export type ImportText = {
  readonly entries: readonly ImportEntry[]
  /** What a person might not have meant. No values. */
  readonly notes: readonly string[]
}

/** A text that cannot be read; the message names the line and holds nothing of its content. */
export class EnvDialectError extends Error {
  override readonly name = 'EnvDialectError'
  /** Counted from 1; null where the text as a whole is at fault. */
  readonly line: number | null
  /** What the message says of the line: `opens a quote that is never closed`. */
  readonly problem: string

  constructor(line: number | null, problem: string, options?: ErrorOptions) {
    super(line === null ? problem : `line ${line} ${problem}`, options)
    this.line = line
    this.problem = problem
  }
}
