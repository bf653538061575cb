import { FORMATS, misfits } from '@keyferry/contract/env'
import type { FormatName } from '@keyferry/contract/env/format-names'
import { groupBy } from '@keyferry/contract/group-by'
import { generalError } from '../base/cli-error.ts'
import type { Values } from '../base/parts.ts'

/** Write values in a format. Values are never changed to fit it.
 * @returns `warnings`: programs that read some of the values differently, `Docker Compose: A, B`
 * @throws CliError general, with each name that does not fit and why */
export function writeValues(formatName: FormatName, values: Values) {
  const format = FORMATS[formatName]
  const wrong = misfits(format, values)
  if (wrong.length === 0) return { text: format.write(values), warnings: warningsOf(formatName, values) }
  throw generalError(
    `the format ${formatName} cannot hold: ${wrong.map(({ name, reason }) => `${name} (${reason})`).join(', ')}`,
    'Nothing was written. Use --format json, which can hold every value, or keyferry run.',
  )
}

function warningsOf(formatName: FormatName, values: Values): string[] {
  const misread = [...values].flatMap(([name, value]) =>
    (FORMATS[formatName].misreadBy?.(value) ?? []).map((reader) => ({ reader, name })),
  )
  return [...groupBy(misread, ({ reader }) => reader)].map(
    ([reader, group]) => `${reader}: ${group.map(({ name }) => name).join(', ')}`,
  )
}
