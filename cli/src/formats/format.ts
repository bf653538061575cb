import { CliError } from '../cli-error.ts'
import type { Values } from '../delivery/delivered-values.ts'
import { EXIT } from '../exit-code.ts'

/** One way of writing values down. */
export type Format = {
  /** Why the grammar cannot hold this value under this name; null if it can. */
  readonly whyNot: (name: string, value: string) => string | null
  readonly write: (values: Values) => string
}

/** Write values in a format, or refuse: a value is never changed to fit.
 * @throws CliError general, with each name and why it does not fit */
export function writeValues(formatName: string, format: Format, values: Values): string {
  const misfits = [...values].flatMap(([name, value]) => {
    const reason = format.whyNot(name, value)
    return reason === null ? [] : [`${name} (${reason})`]
  })
  if (misfits.length === 0) return format.write(values)
  throw new CliError(
    EXIT.general,
    `the format ${formatName} cannot hold: ${misfits.join(', ')}`,
    'Nothing was written. Use --format json, which holds everything, or keyferry run.',
  )
}

/** Whether a shell or a reader of shell-like files can assign to the name. */
export function isShellName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
}
