import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf, generalError } from './cli-error.ts'
import { tryFile } from './output-file.ts'
import type { Environment } from './parts.ts'
import { printable } from './printable.ts'

/** Make the folder: in memory where the system has such a folder (`XDG_RUNTIME_DIR`, `/dev/shm`), else among the
 * temporary files. It is deleted when this process exits. Call it before a request is made: it checks that files can be
 * written there.
 * @returns `remove` may be called more than once; `keep`: not at the exit
 * @throws CliError general */
export function openPrivateFolder(env: Environment) {
  const path = firstThatWorks(placesFor(env))
  const remove = (): void => removeFolder(path)
  process.once('exit', remove)
  const keep = (): void => void process.off('exit', remove)
  return { path, remove, keep }
}

// File by file: under Wine, Bun's recursive removal fails with EFAULT.
function removeFolder(path: string): void {
  if (!existsSync(path)) return
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    rmSync(join(path, entry.name), { recursive: entry.isDirectory() })
  }
  rmdirSync(path)
}

function placesFor(env: Environment): readonly string[] {
  const inMemory = [env['XDG_RUNTIME_DIR'] ?? '', '/dev/shm'].filter(
    (path) => path.startsWith('/') && isWritableFolder(path),
  )
  return inMemory.length === 0 ? [tmpdir()] : inMemory
}

// If the folders in memory are full, the values do not go to a disk.
function firstThatWorks(places: readonly string[]): string {
  let failure: unknown
  for (const place of places) {
    try {
      return makeIn(place)
    } catch (cause) {
      failure = cause
    }
  }
  throw generalError(
    `no private file can be written in ${printable(places.join(' or '))}: ${codeOf(failure)}`,
    'No request was made. Free space there, or set XDG_RUNTIME_DIR to another folder in memory.',
    failure,
  )
}

function makeIn(place: string): string {
  const path = mkdtempSync(join(place, 'keyferry-files-'))
  try {
    chmodSync(path, 0o700)
    tryFile(join(path, 'tried'))
    return path
  } catch (error) {
    rmdirSync(path)
    throw error
  }
}

// Under sudo, XDG_RUNTIME_DIR may be another user's.
function isWritableFolder(path: string): boolean {
  try {
    accessSync(`${path}/.`, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
