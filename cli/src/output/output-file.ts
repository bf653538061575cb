import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import { printable } from '../ground/printable.ts'

const OWNER_ONLY = 0o600

export type OutputFile = {
  readonly path: string
  /** Replace what stands there. */
  readonly mayReplace: boolean
}

/** Whether the file could be written now, asked before anybody is bothered for its content.
 * @throws CliError general */
export function requireWritable({ path, mayReplace }: OutputFile): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) throw unwritable(path, 'it is a folder', 'Name a file inside it.')
  if (stats !== undefined && !mayReplace) throw exists(path)
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK)
  } catch (cause) {
    throw unwritable(path, codeOf(cause), 'Check that its folder exists and is yours to write to.', { cause })
  }
}

/** Write the file whole or not at all, readable by its owner alone. What stands there is replaced in one step and never
 * written through: a symbolic link is replaced, not followed.
 * @throws CliError general */
export function writeOutputFile({ path, mayReplace }: OutputFile, text: string): void {
  const draft = join(dirname(path), `.${basename(path).slice(0, 80)}.${randomUUID()}`)
  try {
    writeDraft(draft, text)
    if (mayReplace) renameSync(draft, path)
    else publish(draft, path)
    syncFolder(dirname(path))
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw exists(path)
    throw unwritable(path, codeOf(cause), 'Nothing was left behind. Check the disk and the folder.', {
      cause,
    })
  } finally {
    rmSync(draft, { force: true })
  }
}

function writeDraft(draft: string, text: string): void {
  const fd = openSync(draft, 'wx', OWNER_ONLY)
  try {
    fchmodSync(fd, OWNER_ONLY)
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

// A hard link fails where a name is taken, which a rename does not: nobody's file is lost in a race.
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error
    closeSync(openSync(path, 'wx', OWNER_ONLY)) // a file system without hard links: take the name, then fill it
    renameSync(draft, path)
  }
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return // folders cannot be opened there
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function exists(path: string): CliError {
  return unwritable(path, 'it exists already', 'Name another file, or replace this one with --force.')
}

function unwritable(path: string, why: string, next: string, options?: ErrorOptions): CliError {
  return new CliError(EXIT.general, `${printable(path)} cannot be written: ${why}`, next, options)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
}
