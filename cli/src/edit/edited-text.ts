import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generalError } from '../base/cli-error.ts'
import type { Environment } from '../base/parts.ts'
import { openPrivateFolder } from '../base/private-folder.ts'

/** A text that a person edits in a file that only they can read. The file is gone when `close` was called, or this
 * process ends. */
type EditedText = {
  /** Open the editor, wait until it ends, and read what the file holds then.
   * @throws CliError general: the editor cannot be started, or it ended with an error */
  readonly edit: () => string
  readonly close: () => void
}

/** @param fileName tells the editor what kind of text it is */
export function editedText(text: string, fileName: string, env: Environment): EditedText {
  const folder = openPrivateFolder(env)
  const path = join(folder.path, fileName)
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  return {
    edit: () => {
      runEditor(path, env)
      return readFileSync(path, 'utf8')
    },
    close: () => {
      overwrite(path)
      folder.remove()
    },
  }
}

// As git does: VISUAL and EDITOR are shell commands, which may have arguments.
function runEditor(path: string, env: Environment): void {
  const editor = env['VISUAL'] || env['EDITOR'] || (process.platform === 'win32' ? 'notepad' : 'vi')
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${path}"`, { stdio: 'inherit', shell: true })
      : spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
  if (error === undefined && status === 0) return
  throw generalError(
    `the editor ${editor} ended with ${error?.message ?? `status ${status}`}`,
    'Nothing was stored. Set EDITOR to a command that waits until you close the file.',
  )
}

// Not every folder is in memory. On most disks the old bytes are gone then.
function overwrite(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(readFileSync(path).length), { flag: 'r+' })
  } catch {
    // The editor removed the file.
  }
}
