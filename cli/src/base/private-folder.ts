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

/** Make the folder, before a request is made: in memory where the system has such a folder (`XDG_RUNTIME_DIR`,
 * `/dev/shm`), else among the temporary files. It is deleted when this process exits.
 * @returns `remove` may be called more than once, and does nothing after `keep`
 * @throws CliError general: no file can be written there */
export function openPrivateFolder(env: Environment) {
  const path = makeIn(inMemory(env) ?? tmpdir())
  let isKept = false
  const remove = (): void => {
    if (!isKept) removeFolder(path)
  }
  process.once('exit', remove)
  const keep = (): void => {
    isKept = true
  }
  return { path, remove, keep }
}

function makeIn(place: string): string {
  let path = ''
  try {
    path = mkdtempSync(join(place, 'keyferry-files-'))
    chmodSync(path, 0o700)
    tryFile(join(path, 'tried'))
    return path
  } catch (cause) {
    removeFolder(path)
    throw generalError(
      `no private file can be written in ${printable(place)}: ${codeOf(cause)}`,
      'No request was made. Free space there, or set XDG_RUNTIME_DIR to another folder in memory.',
    )
  }
}

// File by file: under Wine, Bun's recursive removal fails with EFAULT.
function removeFolder(path: string): void {
  if (!existsSync(path)) return
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    rmSync(join(path, entry.name), { recursive: entry.isDirectory() })
  }
  rmdirSync(path)
}

function inMemory(env: Environment): string | null {
  const candidates = [env['XDG_RUNTIME_DIR'] ?? '', '/dev/shm']
  return candidates.find((path) => path.startsWith('/') && isWritableFolder(path)) ?? null
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
