import { chmodSync, lstatSync, type Stats } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { makePrivateFolder as makeFolder } from '@keyferry/plumbing/private-files'
import type { Parts } from '../base/parts.ts'

/** What tells where the state folder is. */
export type StateParts = Pick<Parts, 'env' | 'platform'>

/** The folder for what the client remembers between commands, where the platform expects it.
 * @param name of a folder inside it */
export function stateFolder({ env, platform }: StateParts, name = ''): string {
  const set = (variable: string): string | null => env[variable] || null
  if (platform === 'win32')
    return join(set('LOCALAPPDATA') ?? join(homedir(), 'AppData', 'Local'), 'keyferry', name)
  return join(set('XDG_STATE_HOME') ?? join(set('HOME') ?? homedir(), '.local', 'state'), 'keyferry', name)
}

/** Create a folder, and its parents, that only its owner can enter. It changes no mode behind a link, which may be
 * planted, or of another user's folder.
 * @throws Error if it cannot be made, or another user owns it; root may use any */
export function makePrivateFolder(path: string): void {
  makeFolder(path)
  const found = lstatSync(path)
  if (isOwn(found)) {
    if (found.isDirectory()) chmodSync(path, 0o700)
  } else if (process.geteuid?.() !== 0) throw foreign(path)
}

// Windows has no such owners.
function isOwn({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid()
}

function foreign(path: string): Error {
  return new Error(`${path} belongs to another user`)
}

/** The folder for what lasts until the person logs out: sockets, and the key of this terminal. Only its owner can
 * enter it. Without XDG_RUNTIME_DIR it is below the folder for temporary files, where others may write too, so its
 * owner is checked.
 * @throws Error if it cannot be made, or another user owns it */
export function runtimeFolder({ env, platform }: StateParts): string {
  const base = env['XDG_RUNTIME_DIR'] || null
  const { uid } = platform === 'win32' ? { uid: 0 } : userInfo()
  const folder = base === null ? join(tmpdir(), `keyferry-${uid}`) : join(base, 'keyferry')
  makePrivateFolder(folder)
  const found = lstatSync(folder)
  if (!found.isDirectory() || !isOwn(found)) throw foreign(folder)
  return folder
}
