import { join } from 'node:path'
import { isKeyName } from '@keyferry/contract/env/names'
import { type CliError, usageError } from '../base/cli-error.ts'
import type { Values } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { parseObject } from '../base/shape.ts'
import { isTracked } from '../project/git-folder.ts'
import { readSmallFile } from '../project/small-file.ts'
import { refusedNames } from './dangerous-names.ts'

/** Values of one person for one folder, which replace delivered ones. */
export const OWN_FILE = 'keyferry.local.json'

/** The values in the `keyferry.local.json` of this folder; empty without one. A file that came with a repository, or
 * from another user, could set what this person does not want.
 * @throws CliError usage */
export function ownValues(folder: string, allowedNames: readonly string[]): Values {
  const path = join(folder, OWN_FILE)
  const file = readSmallFile(path)
  if (file === null) return new Map()
  if (process.geteuid !== undefined && file.uid !== process.geteuid())
    throw unusable(path, 'it belongs to another user', 'Remove it, or make a file of your own.')
  if (isTracked(path))
    throw unusable(
      path,
      'git tracks it, or its index cannot be read',
      `Run git rm --cached ${OWN_FILE}, and add it to .gitignore.`,
    )
  const values = valuesIn(file.text, path)
  const { reasons, flags } = refusedNames(values.keys(), allowedNames)
  if (flags === '') return values
  throw unusable(path, `dangerous names: ${reasons}`, `To use them anyway, add ${flags}.`)
}

function valuesIn(text: string, path: string): Values {
  const fields = Object.entries(parseObject(text.replace(/^\ufeff/, '')) ?? { '': null })
  const values = fields.map(([name, value]): [string, string] => {
    if (isKeyName(name) && typeof value === 'string' && !value.includes('\0') && value.isWellFormed())
      return [name, value]
    const example = 'For example: {"PORT": "3001", "LOG_LEVEL": "debug"}'
    throw unusable(path, 'it must be a JSON object of names and texts', example)
  })
  return new Map(values)
}

function unusable(path: string, why: string, next: string): CliError {
  return usageError(`${printable(path)} cannot be used: ${why}`, next)
}
