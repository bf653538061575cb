import { lstatSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { makePrivateFolder, type StateParts } from './state-folder.ts'

/** The folder for what lasts until the person logs out: sockets, and the key of this terminal. Only its owner can enter it.
 * Without XDG_RUNTIME_DIR it is below the folder for temporary files, where others may write too, so its owner is checked.
 * @throws Error if it cannot be made, or another user owns it */
export function runtimeFolder({ env, platform }: StateParts): string {
  const base = env['XDG_RUNTIME_DIR'] || null
  const { uid } = platform === 'win32' ? { uid: 0 } : userInfo()
  const folder = base === null ? join(tmpdir(), `keyferry-${uid}`) : join(base, 'keyferry')
  makePrivateFolder(folder)
  const found = lstatSync(folder)
  if (!found.isDirectory() || (platform !== 'win32' && found.uid !== uid)) {
    throw new Error(`${folder} belongs to another user`)
  }
  return folder
}
