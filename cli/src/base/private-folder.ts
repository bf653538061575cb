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
import type { Environment } from './parts.ts'

/** Make the folder: in memory where the system has such a folder (`XDG_RUNTIME_DIR`, `/dev/shm`), else among the
 * temporary files. It is deleted when this process exits.
 * @returns `remove` may be called more than once; `keep`: not at the exit */
export function openPrivateFolder(env: Environment) {
  const path = mkdtempSync(join(inMemory(env) ?? tmpdir(), 'keyferry-files-'))
  chmodSync(path, 0o700)
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
