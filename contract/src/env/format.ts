export type Variable = readonly [name: string, value: string]

/** One way of writing variables down. */
export type Format = {
  /** For a list of formats. */
  readonly summary: string
  /** The interface's nearest word for it, which a request carries. */
  readonly asked: 'sh' | 'fish' | '.env'
  /** Why the format cannot express this value under this name; null if it can. */
  readonly whyNot: (name: string, value: string) => string | null
  /** Write variables that the format can express. */
  readonly write: (variables: Iterable<Variable>) => string
  /** Programs that read such a file too, but not this value. Only where they differ. */
  readonly misreadBy?: (value: string) => readonly string[]
}

/** The variables that a format cannot express, each with the reason. */
export function misfits(format: Format, variables: Iterable<Variable>): { name: string; reason: string }[] {
  return [...variables].flatMap(([name, value]) => {
    const reason = format.whyNot(name, value)
    return reason === null ? [] : [{ name, reason }]
  })
}

/** Write each variable by itself. */
export function eachAs(line: (name: string, value: string) => string): Format['write'] {
  return (variables) => Array.from(variables, ([name, value]) => line(name, value)).join('')
}
