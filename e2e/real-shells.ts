import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text as readText } from 'node:stream/consumers'
import { hasPrograms } from '../plumbing/test/programs.ts'

/** Shells that `eval` POSIX text. */
export const POSIX_SHELLS = ['sh', 'dash', 'bash', 'zsh', 'mksh'] as const

export type RealShell = (typeof POSIX_SHELLS)[number] | 'fish'

/** What a shell evaluates, and the variables that it should have then. */
export type ShellText = { readonly text: string; readonly names: readonly string[] }

type Dialect = {
  /** So that no start-up files are read. */
  readonly options: readonly string[]
  readonly evaluate: (file: string) => string
  /** Prints one variable and NUL; stops the shell where it is not set. */
  readonly print: (name: string) => string
  readonly forget: (name: string) => string
}

const POSIX: Dialect = {
  options: ['-u'],
  evaluate: (file) => `eval "$(cat ${file})"`,
  print: (name) => `printf '%s\\0' "$${name}"`,
  forget: (name) => `unset ${name}`,
}

const DIALECTS: Readonly<Record<RealShell, Dialect>> = {
  sh: POSIX,
  dash: POSIX,
  bash: { ...POSIX, options: ['--norc', '--noprofile', '-u'] },
  zsh: { ...POSIX, options: ['-f', '-u'] },
  // mksh has no built-in printf.
  mksh: { ...POSIX, print: (name) => `print -rn -- "$${name}"; print -n '\\0000'` },
  fish: {
    options: ['--no-config'],
    evaluate: (file) => `source ${file}`,
    print: (name) => `set -q ${name}; or exit 1; printf '%s\\0' "$${name}"`,
    forget: (name) => `set -e ${name}`,
  },
}

/** Skip a test, loudly, where `shell` is not installed; on CI its absence is a failure. */
export function requireShell(shell: RealShell, skip: (note: string) => void): void {
  if (!hasPrograms(shell)) skip(`${shell} is not installed`)
}

/** Let one real shell evaluate text after text, each as `eval "$(command)"` would (fish: `command | source`).
 * @returns for each text the values of its names, in their order
 * @throws Error with the shell's own words where it stops early: a syntax error, or a name that was not set */
export async function readBack(
  shell: RealShell,
  texts: readonly ShellText[],
  locale = 'C.UTF-8',
): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'real-shell-'))
  try {
    await Promise.all(texts.map(({ text }, index) => writeFile(join(folder, String(index)), text)))
    await writeFile(join(folder, 'script'), scriptOf(DIALECTS[shell], texts))
    return sorted(await run(shell, folder, locale), texts)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function scriptOf({ evaluate, print, forget }: Dialect, texts: readonly ShellText[]): string {
  const steps = texts.map(({ names }, index) => [
    evaluate(String(index)),
    ...names.map(print),
    ...names.map(forget),
  ])
  return `${steps.flat().join('\n')}\n`
}

async function run(shell: RealShell, folder: string, locale: string): Promise<Buffer> {
  const child = spawn(shell, [...DIALECTS[shell].options, 'script'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, LC_ALL: locale },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  )
  const [code, output, complaint] = await Promise.all([ended, buffer(child.stdout), readText(child.stderr)])
  if (code !== 0 || complaint !== '') throw new Error(`${shell} ended with ${code}: ${complaint}`)
  return output
}

function sorted(output: Buffer, texts: readonly ShellText[]): string[][] {
  const values = output.toString('utf8').split('\0')
  return texts.map(({ names }) => values.splice(0, names.length))
}
