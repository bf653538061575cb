import { FORMAT_NAMES, type FormatName, isFormatName } from '@keyferry/contract/env/format-names'
import { usageError } from '../ground/cli-error.ts'
import { printable } from '../ground/printable.ts'

/** @throws CliError usage: unknown format */
export function requireFormatName(text: string): FormatName {
  if (isFormatName(text)) return text
  throw usageError(`unknown format ${printable(text, 60)}`, `Use one of ${FORMAT_NAMES.join(', ')}.`)
}
