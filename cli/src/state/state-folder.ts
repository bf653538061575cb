import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Environment } from '../ground/parts.ts'

type Place = { readonly env: Environment; readonly platform: NodeJS.Platform }

/** Where the client keeps what it must remember between two commands, by the platform's custom. */
export function stateFolder({ env, platform }: Place): string {
  const set = (name: string): string | null => env[name] || null
  if (platform === 'win32')
    return join(set('LOCALAPPDATA') ?? join(homedir(), 'AppData', 'Local'), 'keyferry')
  return join(set('XDG_STATE_HOME') ?? join(set('HOME') ?? homedir(), '.local', 'state'), 'keyferry')
}

/** Make a folder that only its owner can enter, and those above it. */
export function makePrivateFolder(path: string): void {
  makeFolder(path)
  chmodSync(path, 0o700)
}

// Node's own recursive mkdir never returns where the parent is there but takes no folders, as in /proc.
function makeFolder(path: string): void {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}
