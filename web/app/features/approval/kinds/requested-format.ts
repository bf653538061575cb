import { type FormatName, isFormatName } from '@keyferry/contract/env/format-names'

/** The format in which the terminal says it will write the values; null where it says none.
 * @param command as the client reports it: `keyferry pull --format fish` */
export function formatOf(command: string | undefined): FormatName | null {
  const [, given = 'sh'] = /^keyferry pull(?: --format (\S+))?$/.exec(command ?? '') ?? ['', '']
  return isFormatName(given) ? given : null
}
