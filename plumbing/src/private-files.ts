import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Make a folder that only this account can open, and its parents. An existing folder stays as it is.
 * @throws what the file system throws: `EACCES`, `ENOTDIR` … */
export function makePrivateFolder(folder: string): void {
  // Node's recursive mkdir never returns if the parent exists but cannot contain folders, as in /proc.
  if (existsSync(folder)) return
  if (!existsSync(dirname(folder))) makePrivateFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it since.
    if (!existsSync(folder)) throw error
  }
}

/** Create a file that only this account can read, unless it exists. Call it before a library opens the path, because
 * libraries create files with wider rights. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/** Keep the folder out of a Git repository around it, so that `git add .` adds no data.
 * An existing `.gitignore` stays as it is. */
export function keepOutOfGit(folder: string): void {
  const file = join(folder, '.gitignore')
  if (!existsSync(file)) writeFileSync(file, '*\n', { mode: 0o600 })
}
