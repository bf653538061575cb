import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { usageError } from '../base/cli-error.ts'
import type { Environment, Values } from '../base/parts.ts'
import { openPrivateFolder } from '../base/private-folder.ts'

/** The files of a program: file names by the names of values. */
export type WantedFiles = ReadonlyMap<string, string>

/** A folder of files that contain values. Only its owner can read it. */
export type ValueFiles = ReturnType<typeof openValueFiles>

/** Read `NAME=file.pem`.
 * @throws CliError usage */
export function readWantedFiles(texts: readonly string[]): WantedFiles {
  const files = new Map<string, string>()
  for (const text of texts) {
    const [, name, file] = /^([A-Za-z_]\w*)=([\w.-]{1,100})$/.exec(text) ?? []
    if (name === undefined || file === undefined || /^\.+$/.test(file)) {
      throw usageError(
        '--file must be NAME=FILE',
        'For example: --file TLS_CERT=tls.pem. FILE has no folder.',
      )
    }
    if (files.has(name) || [...files.values()].includes(file))
      throw usageError(`--file names ${name} or ${file} twice`, 'Give each name and each file once.')
    files.set(name, file)
  }
  return files
}

/** Make the folder, which is deleted when this process exits. */
export function openValueFiles(wanted: WantedFiles, env: Environment) {
  const { path, remove } = openPrivateFolder(env)
  /** Write the wanted values, and return the paths in place of the values. A file that exists is replaced as a whole.
   * @throws CliError usage: a value was not delivered */
  const write = (values: Values): Values => withPaths(values, wanted, path)
  return { write, remove }
}

function withPaths(values: Values, wanted: WantedFiles, folder: string): Values {
  const replaced = new Map(values)
  for (const [name, file] of wanted) {
    const value = values.get(name)
    if (value === undefined)
      throw usageError(
        `--file names ${name}, which was not delivered`,
        'Check the name, or request the variable.',
      )
    const path = join(folder, file)
    const fresh = `${path}~` // no FILE can have this name
    writeFileSync(fresh, value, { mode: 0o600, flag: 'w' })
    renameSync(fresh, path)
    replaced.set(name, path)
  }
  return replaced
}
