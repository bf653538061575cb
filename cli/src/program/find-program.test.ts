import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXIT } from '../base/cli-error.ts'
import { executableForm, missingInterpreter } from './executable-form.ts'
import { findProgram, requireProgram, throughShell } from './find-program.ts'
import { requireFits } from './size-limits.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-programs-'))
  mkdirSync(join(folder, 'tool'))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/tool'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(folder, 'plain'), 'echo\n', { mode: 0o644 })
  symlinkSync('/dev/null', join(folder, 'device'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const at = (searchPath: string | null) => ({ searchPath, cwd: folder })

test('a program is found as execvp(3) finds it', () => {
  expect(findProgram('tool', at('.:bin'))).toBe(join(folder, 'bin/tool'))
  expect(findProgram('bin/tool', at(''))).toBe(join(folder, 'bin/tool'))
  expect(findProgram('sh', at(null))).toMatch(/^\/(usr\/)?(local\/)?bin\/sh$/)
})

test.each([
  ['tool', EXIT.cannotStart, 'it is a folder', 'Use the path of a program inside it.'],
  [
    'plain',
    EXIT.cannotStart,
    'it is not executable',
    'Run chmod +x on it, or put its interpreter before it.',
  ],
  [
    'device',
    EXIT.cannotStart,
    'it is not executable',
    'Run chmod +x on it, or put its interpreter before it.',
  ],
  [
    'none',
    EXIT.notFound,
    'program not found: none',
    'Check the spelling and PATH. For shell functions, aliases and built-ins, use sh -c.',
  ],
  [
    './none',
    EXIT.notFound,
    'program not found: ./none',
    'Check the path. It is relative to the current folder.',
  ],
  ['', EXIT.notFound, "program not found: ''", expect.any(String)],
])('the program %j exits with %i: %s', (name, exitCode, says, next) => {
  expect(() => findProgram(name, at('.'))).toThrow(
    expect.objectContaining({ exitCode, message: expect.stringContaining(says), next }),
  )
})

const script = (text: string) => {
  const path = join(folder, 'script')
  writeFileSync(path, text)
  chmodSync(path, 0o755)
  return path
}

describe('the first line of a script', () => {
  test.each([
    ['#!/bin/sh\n', null],
    ['#! \t/bin/sh -e\n', null],
    ['#!bin/tool\n', null],
    ['#!\n', null],
    ['echo\n', null],
    ['#!/no/such\targument\n', '/no/such'],
    ['#!/bin/sh\r\n', '/bin/sh\r'],
  ])('%j has the missing interpreter %j', (text, missing) => {
    expect(missingInterpreter(script(text), folder)).toBe(missing)
  })

  test.each([
    ['#!/no/such\n', 'its first line names /no/such, which', 'Install it, or correct the line.'],
    ['#!/bin/sh\r\n', 'its first line names /bin/sh�, which', 'Its lines end in CR LF. Convert it to LF.'],
  ])('%j is refused before a person is asked', (text, says, next) => {
    script(text)
    const place = { env: { PATH: folder }, cwd: folder, platform: 'linux' } as const
    expect(() => requireProgram('script', place)).toThrow(
      expect.objectContaining({ exitCode: EXIT.notFound, message: expect.stringContaining(says), next }),
    )
    requireProgram('script', { ...place, platform: 'win32' })
    requireProgram('tool', { ...place, env: { PATH: 'bin' } })
  })

  test.each([
    ['#!/bin/sh\n', 'native'],
    ['echo\n', 'script'],
    ['echo\0', 'foreign'],
    [Buffer.from('7f454c46', 'hex'), 'foreign'],
    [Buffer.from('cffaedfe', 'hex'), process.platform === 'darwin' ? 'native' : 'foreign'],
  ])('a file that begins with %j is %s', (text, form) => {
    const path = join(folder, 'form')
    writeFileSync(path, text)
    expect(executableForm(path, process.execPath)).toBe(form)
  })

  // Byte 4 is the class, 5 the byte order, 16 the type and 18 the machine.
  test.skipIf(process.platform !== 'linux').each([
    ['a program of this machine', {}, 'native'],
    ['a fixed program', { 16: 2 }, 'native'],
    ['a program that moves, or a library', { 16: 3 }, 'native'],
    ['an object file', { 16: 1 }, 'foreign'],
    ['a memory dump', { 16: 4 }, 'foreign'],
    ['a program of another class', { 4: 9 }, 'foreign'],
    ['a program of another byte order', { 5: 9 }, 'foreign'],
    ['a program of another machine', { 18: 0xf3, 19: 0x7f }, 'foreign'],
  ])('the first bytes of a file show %s', (_, change, form) => {
    const head = Buffer.alloc(64)
    const file = openSync(process.execPath, 'r')
    readSync(file, head, 0, head.length, 0)
    closeSync(file)
    const path = join(folder, 'form')
    writeFileSync(path, Object.assign(head, change))
    expect(executableForm(path, process.execPath)).toBe(form)
  })

  test('the running program is native, and so is a file that cannot be read', () => {
    expect(executableForm(process.execPath, process.execPath)).toBe('native')
    expect(executableForm(join(folder, 'none'), process.execPath)).toBe('native')
    expect(executableForm(folder, process.execPath)).toBe('native')
  })
})

test('--shell gives the first word to the shell as a command line', () => {
  expect(throughShell(['echo $1', 'a'], {}, 'linux')).toEqual(['/bin/sh', '-c', 'echo $1', 'sh', 'a'])
  expect(throughShell(['echo', 'a'], {}, 'win32')).toEqual(['cmd.exe', '/d', '/s', '/c', 'echo a'])
  expect(throughShell(['echo'], { ComSpec: 'C:\\cmd.exe' }, 'win32')[0]).toBe('C:\\cmd.exe')
})

const start = (env: Record<string, string>, argv: readonly string[] = []) => ({
  argv,
  env,
  searchPath: null,
  filters: { stdout: null, stderr: null },
})

// The variable `A=…` with its final NUL has `bytes` bytes.
const sized = (bytes: number) => 'x'.repeat(bytes - 3)

describe('the size limit of an environment', () => {
  const KIB = 1024
  test('is 128 KiB for each variable on Linux', () => {
    expect(requireFits(start({ A: sized(128 * KIB) }), 'linux')).toBe(false)
    expect(() =>
      requireFits(start({ A: sized(128 * KIB + 1), B: '', C: sized(200 * KIB) }), 'linux'),
    ).toThrow(
      expect.objectContaining({
        message: 'too large for an environment variable (128 KiB on this system): A (129 KiB), C (200 KiB)',
        next: 'Nothing was started. Use a file instead: keyferry pull --output FILE.',
      }),
    )
  })

  test('is 1 MiB for all variables and arguments on macOS, with what the kernel adds', () => {
    const most = 1024 * KIB - 4 * KIB - 8
    expect(requireFits(start({ A: sized(most) }), 'darwin')).toBe(true)
    expect(() => requireFits(start({ A: sized(most + 1) }), 'darwin')).toThrow(
      expect.objectContaining({
        message: 'environment and arguments need 1025 KiB; this system allows 1024 KiB',
        next: 'Nothing was started. Request fewer variables (--keys), or use a file: keyferry pull --output FILE.',
      }),
    )
    const half = 512 * KIB - 4 * KIB - 8
    expect(requireFits(start({ A: sized(half) }), 'darwin')).toBe(false)
    expect(requireFits(start({ A: sized(half + 1) }), 'darwin')).toBe(true)
    expect(requireFits(start({ A: sized(half - 9) }, ['']), 'darwin')).toBe(false)
    expect(requireFits(start({ A: sized(half - 8) }, ['']), 'darwin')).toBe(true)
  })
})
