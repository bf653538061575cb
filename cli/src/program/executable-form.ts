import { accessSync, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'

const ELF = '7f454c46'
const MACH_O = new Set(['cffaedfe', 'cafebabe'])
const HEAD_BYTES = 4096

/** How the system treats a file:
 * - `native`: it may start; if not, the system says why.
 * - `script`: text without `#!`, which execvp(3) and shells run with /bin/sh.
 * - `foreign`: a binary that the system may not know. execvp(3) would run it with /bin/sh, as if it were text. */
type ExecutableForm = 'native' | 'script' | 'foreign'

/** @param self an executable known to run here, to compare machine types with */
export function executableForm(path: string, self: string): ExecutableForm {
  const head = readHead(path)
  if (head === null || isInterpreted(head)) return 'native'
  const magic = head.subarray(0, 4).toString('hex')
  if (magic === ELF) return isOurElf(head, readHead(self)) ? 'native' : 'foreign'
  if (MACH_O.has(magic)) return process.platform === 'darwin' ? 'native' : 'foreign'
  return head.includes(0) ? 'foreign' : 'script'
}

/** The interpreter that the first line of a file names, if it does not exist; else null. As on Linux, only blanks and
 * tabs end the name, so the CR of a CR LF belongs to it. */
export function missingInterpreter(path: string, cwd: string): string | null {
  const head = readHead(path)
  if (head === null || !isInterpreted(head)) return null
  const [, name = ''] = /^#![ \t]*([^ \t\n\0]*)/.exec(head.subarray(0, 256).toString()) ?? []
  return name === '' || isExecutable(resolve(cwd, name)) ? null : name
}

function isInterpreted(head: Buffer): boolean {
  return head.subarray(0, 2).toString() === '#!'
}

/** Null: it is executable, but cannot be read. */
function readHead(path: string): Buffer | null {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!fstatSync(fd).isFile()) return null
    const head = Buffer.alloc(HEAD_BYTES)
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0))
  } catch {
    return null
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

// Class, byte order and machine match our own header, and it is a program or a library.
function isOurElf(head: Buffer, own: Buffer | null): boolean {
  if (own === null || head.length < 20 || own.subarray(0, 4).toString('hex') !== ELF) return false
  const isSameMachine =
    head[4] === own[4] && head[5] === own[5] && head.readUInt16LE(18) === own.readUInt16LE(18)
  return isSameMachine && [2, 3].includes(head.readUInt16LE(16))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
