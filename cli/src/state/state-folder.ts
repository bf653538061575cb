import { chmodSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../surroundings.ts'

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
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
}
