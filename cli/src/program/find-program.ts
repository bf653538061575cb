import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError, EXIT } from '../base/cli-error.ts'
import type { Environment } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { missingInterpreter } from './executable-form.ts'

const SYSTEM_FOLDERS = '/usr/local/bin:/usr/bin:/bin'

type SearchOptions = { readonly searchPath: string | null; readonly cwd: string }

/** Find the file of a program as execvp(3) does: a name with a slash is a path; any other is searched in PATH.
 * @returns an absolute path · @throws CliError 127 not found · 126 found, but not executable */
export function findProgram(name: string, { searchPath, cwd }: SearchOptions): string {
  const candidates = name.includes('/') ? [resolve(cwd, name)] : inPath(name, searchPath, cwd)
  const found = candidates.map((path) => ({ path, kind: kindOf(path) }))
  const executable = found.find(({ kind }) => kind === 'executable')
  if (executable !== undefined) return executable.path
  const blocked = found.find(({ kind }) => kind !== 'missing')
  if (blocked !== undefined) throw cannotStart(blocked)
  throw notFound(name)
}

/** Check before a person is asked that the program can be found, and its interpreter too.
 * @throws CliError as `findProgram`; does nothing on Windows, where other rules apply */
export function requireProgram(
  name: string,
  { env, cwd, platform }: { env: Environment; cwd: string; platform: NodeJS.Platform },
): void {
  if (platform === 'win32') return
  const path = findProgram(name, { searchPath: env['PATH'] ?? null, cwd })
  const missing = missingInterpreter(path, cwd)
  if (missing === null) return
  throw new CliError(
    EXIT.notFound,
    `${printable(path)} cannot be started: its first line names ${printable(missing)}, which cannot be executed`,
    missing.endsWith('\r') ? 'Its lines end in CR LF. Convert it to LF.' : 'Install it, or correct the line.',
  )
}

function inPath(name: string, searchPath: string | null, cwd: string): string[] {
  if (name === '') return []
  return (searchPath ?? SYSTEM_FOLDERS).split(':').map((folder) => resolve(cwd, folder, name))
}

type FileKind = 'executable' | 'folder' | 'not executable' | 'missing'

function kindOf(path: string): FileKind {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return stats.isDirectory() ? 'folder' : 'not executable'
  } catch {
    return 'missing'
  }
  try {
    accessSync(path, constants.X_OK)
    return 'executable'
  } catch {
    return 'not executable'
  }
}

function cannotStart({ path, kind }: { path: string; kind: FileKind }): CliError {
  const [what, next] =
    kind === 'folder'
      ? ['it is a folder', 'Use the path of a program inside it.']
      : ['it is not executable', 'Run chmod +x on it, or put its interpreter before it.']
  return new CliError(EXIT.cannotStart, `${printable(path)} cannot be started: ${what}`, next)
}

function notFound(name: string): CliError {
  const next = name.includes('/')
    ? 'Check the path. It is relative to the current folder.'
    : 'Check the spelling and PATH. For shell functions, aliases and built-ins, use sh -c.'
  return new CliError(EXIT.notFound, `program not found: ${printable(name === '' ? "''" : name)}`, next)
}

/** Arguments that make a shell run the first word as a command line, with the other words as $1, $2, ... */
export function throughShell(
  [line = '', ...rest]: readonly string[],
  env: Environment,
  platform: NodeJS.Platform,
): readonly string[] {
  if (platform === 'win32') return [env['ComSpec'] ?? 'cmd.exe', '/d', '/s', '/c', [line, ...rest].join(' ')]
  return ['/bin/sh', '-c', line, 'sh', ...rest]
}
