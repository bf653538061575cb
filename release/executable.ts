import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withAdHocSignature } from './mach-o-signature.ts'
import { EXECUTABLES, ROOT, RUNTIMES } from './places.ts'
import { runtimeProgram } from './runtime.ts'
import { type ReleaseTarget, targetHere } from './targets.ts'

const ENTRY = join(ROOT, 'cli/bin/keyferry.js')

// Without the last two, the executable would read `.env` and run what `bunfig.toml` names, in the folder where it
// starts.
const FLAGS = [
  '--compile',
  '--minify',
  '--bytecode',
  '--format=esm',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
]

/** Build the client as a single executable of a target. The same sources give the same bytes.
 * @returns its path
 * @throws Error: this machine runs no target, or a runtime cannot be fetched */
export function buildExecutable(target: ReleaseTarget): string {
  mkdirSync(EXECUTABLES, { recursive: true })
  const outfile = join(EXECUTABLES, `keyferry-${target}${target.startsWith('windows-') ? '.exe' : ''}`)
  compile(ENTRY, { target, outfile })
  if (target.startsWith('darwin-'))
    writeFileSync(outfile, withAdHocSignature(readFileSync(outfile), 'keyferry'))
  return outfile
}

/** Compile a program and the runtime of a target into one file.
 * @throws Error: this machine runs no target, or a runtime cannot be fetched */
export function compile(
  entry: string,
  { target, outfile }: { target: ReleaseTarget; outfile: string },
): void {
  const here = targetHere()
  if (here === null) throw new Error(`executables cannot be built on ${process.platform}-${process.arch}`)
  const flags = [
    ...FLAGS,
    `--target=bun-${target}`,
    `--compile-executable-path=${runtimeProgram(target, RUNTIMES)}`,
    `--outfile=${outfile}`,
  ]
  execFileSync(runtimeProgram(here, RUNTIMES), ['build', ...flags, entry], {
    cwd: dirname(outfile),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  chmodSync(outfile, 0o755)
}
