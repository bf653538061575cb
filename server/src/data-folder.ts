import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepOutOfGit, makePrivateFolder } from '@keyferry/plumbing/private-files'
import { StartError } from './start-error.ts'

const OPEN_TO_OTHERS = 0o077
const LOCK_FILE = 'server.lock'
const SQLITE_BUSY = 5

/** Create the data folder, or use an existing one, and close it to other users of the machine.
 * @throws StartError the folder is not writable, or it contains other files and is open to other users */
export function prepareDataFolder(folder: string): void {
  orStartError(folder, () => {
    makePrivateFolder(folder)
    if (!statSync(folder).isDirectory()) throw new StartError(`DATA_DIR ${folder} is not a folder`)
    if ((statSync(folder).mode & OPEN_TO_OTHERS) !== 0) closeToOthers(folder)
    keepOutOfGit(folder)
  })
}

/** Lock the data folder for this process. The operating system releases the lock however the process ends.
 * @returns a function that releases the lock
 * @throws StartError another process has the lock, or the folder is not writable */
export function lockDataFolder(folder: string): () => void {
  const lock = orStartError(folder, () => new DatabaseSync(join(folder, LOCK_FILE), { timeout: 0 }))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (isBusy(error)) throw new StartError(`another keyferry-server is running on DATA_DIR ${folder}`)
    throw cannotWrite(folder, error)
  }
  return () => lock.close()
}

// Do not change a folder that contains other files: that could break the programs that use them.
function closeToOthers(folder: string): void {
  const names = readdirSync(folder)
  if (names.length > 0 && !names.includes(LOCK_FILE))
    throw new StartError(
      `DATA_DIR ${folder} is open to other users: run chmod 700 on it, or choose another folder`,
    )
  // Windows has no user ids.
  const isOther = process.geteuid !== undefined && statSync(folder).uid !== process.geteuid()
  if (isOther)
    throw new StartError(
      `DATA_DIR ${folder} belongs to another user, as a volume with fsGroup does, and others can open it: use a folder in it, such as ${join(folder, 'keyferry')}`,
    )
  chmodSync(folder, 0o700)
}

function orStartError<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof StartError ? error : cannotWrite(folder, error)
  }
}

function cannotWrite(folder: string, cause: unknown): StartError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  const reason = code === 'ERR_SQLITE_ERROR' ? 'no permission or no space' : code
  return new StartError(`DATA_DIR ${folder} is not writable (${reason})`, { cause })
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
