import { accessSync, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'

const ELF = '7f454c46'
const MACH_O = new Set(['cffaedfe', 'cafebabe'])
const HEAD_BYTES = 4096
const PT_INTERP = 3

/** How the system treats a file:
 * - `native`: it probably starts; the client may become it.
 * - `script`: text without `#!`, which execvp(3) and shells run with /bin/sh.
 * - `foreign`: a binary that the system may not know. execvp(3) would run it with /bin/sh, as if it were text.
 * - `other`: it may not start, because its interpreter is missing. */
type ExecutableForm = 'native' | 'script' | 'foreign' | 'other'

/** Check before execve, for a better message than the system's.
 * @param self an executable known to run here, to compare machine types with */
export function executableForm(path: string, self: string): ExecutableForm {
  const head = readHead(path)
  if (head === null) return 'other'
  const magic = head.subarray(0, 4).toString('hex')
  if (magic === ELF && !isOurElf(head, readHead(self))) return 'foreign'
  if (magic === ELF) return isLoadable(head) ? 'native' : 'other'
  if (MACH_O.has(magic)) return process.platform === 'darwin' ? 'native' : 'foreign'
  if (isScript(head)) return isOurScript(head, self) ? 'native' : 'other'
  return head.includes(0) ? 'foreign' : 'script'
}

/** The interpreter that the first line of a file names, if it does not exist; else null. */
export function missingInterpreter(path: string, cwd: string): string | null {
  const head = readHead(path)
  if (head === null || !isScript(head)) return null
  const { name } = firstLine(head)
  return name === '' || isExecutable(resolve(cwd, name)) ? null : name
}

function readHead(path: string): Buffer | null {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!fstatSync(fd).isFile()) return null
    const head = Buffer.alloc(HEAD_BYTES)
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0))
  } catch {
    return null // executable, but not readable
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

// Class, byte order and machine match our own header, and it is a program or a library.
function isOurElf(head: Buffer, own: Buffer | null): boolean {
  if (own === null || head.length < 64 || own.subarray(0, 4).toString('hex') !== ELF) return false
  const isSameMachine =
    head[4] === own[4] && head[5] === own[5] && head.readUInt16LE(18) === own.readUInt16LE(18)
  return isSameMachine && head[4] === 2 && head[5] === 1 && [2, 3].includes(head.readUInt16LE(16))
}

// The dynamic loader that the file names exists. ELF-64, little endian: e_phoff at 32, e_phentsize at 54, e_phnum at 56; p_type at 0, p_offset at 8, p_filesz at 32.
function isLoadable(head: Buffer): boolean {
  const start = Number(head.readBigUInt64LE(32))
  const size = head.readUInt16LE(54)
  for (let index = 0; index < head.readUInt16LE(56); index++) {
    const at = start + index * size
    if (at + 56 > head.length) return false
    if (head.readUInt32LE(at) !== PT_INTERP) continue
    const from = Number(head.readBigUInt64LE(at + 8))
    const to = from + Number(head.readBigUInt64LE(at + 32)) - 1
    return to <= head.length && isExecutable(head.subarray(from, to).toString())
  }
  return true // statically linked
}

function isScript(head: Buffer): boolean {
  return head.subarray(0, 2).toString() === '#!'
}

// As Linux reads it: only blanks and tabs end a name, so the CR of a CR LF belongs to it.
function firstLine(head: Buffer) {
  const line = head.subarray(2, 256).toString().split('\n')[0] ?? ''
  return { line, name: line.replace(/^[ \t]+/, '').split(/[ \t\0]/)[0] ?? '' }
}

function isOurScript(head: Buffer, self: string): boolean {
  const { line, name } = firstLine(head)
  if (line.length >= 254 || !name.startsWith('/') || !isExecutable(name)) return false
  const interpreter = readHead(name)
  return interpreter !== null && !isScript(interpreter) && executableForm(name, self) === 'native'
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
