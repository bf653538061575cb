import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Parts } from '../ground/parts.ts'

/** What tells where the state folder is. */
export type StateParts = Pick<Parts, 'env' | 'platform'>

/** The folder for what the client remembers between commands, where the platform expects it. */
export function stateFolder({ env, platform }: StateParts): string {
  const set = (name: string): string | null => env[name] || null
  if (platform === 'win32')
    return join(set('LOCALAPPDATA') ?? join(homedir(), 'AppData', 'Local'), 'keyferry')
  return join(set('XDG_STATE_HOME') ?? join(set('HOME') ?? homedir(), '.local', 'state'), 'keyferry')
}

/** Create a folder, and its parents, that only its owner can enter. */
export function makePrivateFolder(path: string): void {
  makeFolder(path)
  chmodSync(path, 0o700)
}

// Node's recursive mkdir never returns if the parent exists but cannot hold folders, as in /proc.
function makeFolder(path: string): void {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
