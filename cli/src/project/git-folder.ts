import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { codeOf } from '../base/cli-error.ts'

/*
 * What git keeps of a folder, read from its files. git itself is not run, and its variables are not read: both could
 * come from a stranger's repository.
 */

/** The same folder in the main working tree, if it is in a linked one; else the folder itself. */
export function mainFolder(folder: string): string {
  return repositoryFolder(folder) ?? folder
}

/** A folder of a git repository in its main working tree. A linked tree counts if the repository knows it too, and all
 * that says so belongs to this user.
 * @returns null: it is in no repository that can be checked */
export function repositoryFolder(folder: string): string | null {
  try {
    const top = workingTree(folder)
    if (top === null) return null
    const dotGit = join(top, '.git')
    if (lstatSync(dotGit).isDirectory()) return [top, dotGit].every(isOwn) ? folder : null
    const git = realpathSync(gitFolder(top))
    const common = realpathSync(resolve(git, firstLine(join(git, 'commondir'))))
    const isKnown =
      git === join(common, 'worktrees', basename(git)) &&
      realpathSync(resolve(git, firstLine(join(git, 'gitdir')))) === realpathSync(dotGit)
    const all = [
      top,
      dotGit,
      common,
      join(common, 'worktrees'),
      git,
      join(git, 'commondir'),
      join(git, 'gitdir'),
    ]
    if (!isKnown || !all.every(isOwn)) return null
    const main = basename(common) === '.git' ? dirname(common) : common
    return join(main, relative(realpathSync(top), realpathSync(folder)))
  } catch {
    return null
  }
}

function workingTree(folder: string): string | null {
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder
  const above = dirname(folder)
  return above === folder || folder === '' ? null : workingTree(above)
}

/** Where `.git` says that the data is: itself, or another folder that it names. */
function gitFolder(top: string): string {
  const path = join(top, '.git')
  return lstatSync(path).isDirectory() ? path : resolve(top, firstLine(path).replace(/^gitdir: /, ''))
}

function firstLine(path: string): string {
  return readFileSync(path, 'utf8').split('\n', 1)[0] ?? ''
}

// Windows has no such owners.
function isOwn(path: string): boolean {
  return process.geteuid !== undefined && lstatSync(path).uid === process.geteuid()
}

/** Whether git tracks a file. A repository whose index cannot be read counts as one that does. */
export function isTracked(path: string): boolean {
  const top = workingTree(dirname(path))
  if (top === null) return false
  try {
    const git = gitFolder(top)
    const index = readFileSync(join(git, 'index'))
    return hasEntry(index, relative(top, path).split(sep).join('/'), idBytesOf(git))
  } catch (error) {
    return codeOf(error) !== 'ENOENT' // a new repository has no index
  }
}

function idBytesOf(git: string): number {
  const common = existsSync(join(git, 'commondir')) ? resolve(git, firstLine(join(git, 'commondir'))) : git
  return /objectformat\s*=\s*sha256/i.test(readFileSync(join(common, 'config'), 'utf8')) ? 32 : 20
}

const HEADER_BYTES = 12
// Times, device, inode, mode, owner and size.
const STAT_BYTES = 40
const IS_EXTENDED = 0x4000

/** Source: "index-format" in the documentation of git.
 * @throws Error: another format, or some entries are in another file */
function hasEntry(index: Buffer, path: string, idBytes: number): boolean {
  const version = index.readUInt32BE(4)
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4)
    throw new Error('unknown index')
  const wanted = Buffer.from(path).toString('latin1')
  let at = HEADER_BYTES
  let name = ''
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + idBytes
    const hasMoreFlags = (index.readUInt16BE(flagsAt) & IS_EXTENDED) !== 0
    const [dropped, start] = droppedFrom(name, { index, at: flagsAt + (hasMoreFlags ? 4 : 2), version })
    const end = index.indexOf(0, start)
    if (end < 0) throw new Error('damaged index')
    name = name.slice(0, name.length - dropped) + index.toString('latin1', start, end)
    if (name === wanted) return true
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  }
  if (index.toString('latin1', at, at + 4) === 'link') throw new Error('split index')
  return false
}

/** How many characters of the name before an entry does not share, and where its own begin. */
function droppedFrom(
  before: string,
  { index, at, version }: { index: Buffer; at: number; version: number },
): [number, number] {
  if (version < 4) return [before.length, at]
  let next = at
  let byte = index.readUInt8(next++)
  let value = byte & 127
  while (byte & 128) {
    byte = index.readUInt8(next++)
    value = ((value + 1) << 7) | (byte & 127)
  }
  return [value, next]
}
