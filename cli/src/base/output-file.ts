import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { type CliError, codeOf, generalError } from './cli-error.ts'
import { printable } from './printable.ts'

const OWNER_ONLY = 0o600

const OLD_DRAFT_MS = 60_000

export type OutputFile = {
  readonly path: string
  /** Overwrite an existing file. */
  readonly mayReplace: boolean
}

/** Check that the file can be written, before the client makes a request.
 * @throws CliError general */
export function requireWritable({ path, mayReplace }: OutputFile): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) throw unwritable(path, 'it is a folder', 'Use a file inside it.')
  requireNoDevice(path)
  if (stats !== undefined && !mayReplace) throw exists(path)
  try {
    tryFile(draftOf(path))
  } catch (cause) {
    const next = 'Check that its folder exists, that you can write to it, and that its disk has space.'
    throw unwritable(path, codeOf(cause), next)
  }
}

// As much as a value may have.
const TRIED_BYTES = 64 * 1024

/** Write a private file and remove it, to see before a request whether one can be written.
 * @throws what the file system throws */
export function tryFile(path: string): void {
  try {
    writeDraft(path, 'x'.repeat(TRIED_BYTES))
  } finally {
    rmSync(path, { force: true })
  }
}

// Replacing /dev/stdout would take it away from every program. A link to one counts as well.
function requireNoDevice(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return
  throw unwritable(
    path,
    'it is a device or a pipe',
    'Use the name of a file, or redirect standard output to it.',
  )
}

/** Write the file completely or not at all, readable by its owner only. An existing file is replaced in one step; a
 * symbolic link is replaced, not followed. Drafts that killed clients left are removed.
 * @throws CliError general */
export function writeOutputFile({ path, mayReplace }: OutputFile, text: string): void {
  requireNoDevice(path)
  const draft = draftOf(path)
  try {
    writeDraft(draft, text)
    if (mayReplace) renameSync(draft, path)
    else publish(draft, path)
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw exists(path)
    throw unwritable(path, codeOf(cause), 'No partial file remains. Check the disk and the folder.')
  } finally {
    rmSync(draft, { force: true })
  }
  for (const tidy of [removeOldDrafts, syncFolder]) {
    try {
      tidy(path)
    } catch {
      // The file is whole. Its folder may not be listed, or the file system cannot do this.
    }
  }
}

/** The name has the beginning and the end of the file's, so that the patterns of a `.gitignore` cover both: `.env*`,
 * `.env*.local`, `*.json`. */
function draftOf(path: string, unique = crypto.randomUUID().replaceAll('-', '').slice(0, 16)): string {
  const { dir, name, ext } = parse(path)
  return join(dir, `${name.slice(0, 40)}.keyferry-${unique}${ext.slice(0, 20)}`)
}

// By the clock of the file system: the draft of a client that runs is as young as this file.
function removeOldDrafts(path: string): void {
  const [start = '', end = ''] = parse(draftOf(path, '\0')).base.split('\0')
  const isDraft = (name: string) =>
    name.startsWith(start) &&
    name.endsWith(end) &&
    /^[0-9a-f]{16}$/.test(name.slice(start.length, -end.length || undefined))
  const own = lstatSync(path)
  for (const name of readdirSync(dirname(path)).filter(isDraft)) {
    const old = join(dirname(path), name)
    const stats = lstatSync(old, { throwIfNoEntry: false })
    const isOurs = stats?.isFile() === true && stats.uid === own.uid
    if (isOurs && own.mtimeMs - stats.mtimeMs > OLD_DRAFT_MS) rmSync(old, { force: true })
  }
}

function writeDraft(draft: string, text: string): void {
  const fd = openSync(draft, 'wx', OWNER_ONLY)
  try {
    fchmodSync(fd, OWNER_ONLY)
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
    syncWhereKnown(fd)
  } finally {
    closeSync(fd)
  }
}

// Some file systems, such as those of FUSE, know no fsync.
function syncWhereKnown(fd: number): void {
  try {
    fsyncSync(fd)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(codeOf(error))) throw error
  }
}

/** Give a whole draft its name. A hard link fails if the name is taken, unlike a rename, so a race cannot overwrite
 * another file.
 * @throws Error with the code EEXIST */
export function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error
    // The file system has no hard links: reserve the name, then replace the file.
    closeSync(openSync(path, 'wx', OWNER_ONLY))
    renameSync(draft, path)
  }
}

function syncFolder(path: string): void {
  const fd = openSync(dirname(path), 'r') // Windows cannot open folders
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function exists(path: string): CliError {
  return unwritable(path, 'it already exists', 'Use another file name, or overwrite the file with --force.')
}

function unwritable(path: string, why: string, next: string): CliError {
  return generalError(`${printable(path)} cannot be written: ${why}`, next)
}
