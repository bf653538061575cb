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

  constructor(line: number | null, problem: string, options?: ErrorOptions) {
    super(line === null ? problem : `line ${line} ${problem}`, options)
  }
}
