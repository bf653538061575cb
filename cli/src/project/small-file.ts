import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { CliError, codeOf, generalError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'

const MAX_BYTES = 64 * 1024

/** Read a file of a project, which may be hostile: reading a pipe could block for ever, and reading a device could fill
 * the memory.
 * @returns null without a file that can be read; `uid`: of its owner
 * @throws CliError general: it is no file, or too large */
export function readSmallFile(path: string): { readonly text: string; readonly uid: number } | null {
  try {
    return contentOf(path)
  } catch (cause) {
    const code = codeOf(cause)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return null
    throw cause instanceof CliError ? cause : unreadable(path, code)
  }
}

function contentOf(path: string) {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw unreadable(path, 'it is not a file')
    if (stats.size > MAX_BYTES) throw unreadable(path, `it is larger than ${MAX_BYTES / 1024} KiB`)
    return { text: readFileSync(fd, 'utf8'), uid: stats.uid }
  } finally {
    closeSync(fd)
  }
}

function unreadable(path: string, why: string): CliError {
  return generalError(`${printable(path)} cannot be read: ${why}`, 'Fix or remove the file.')
}
