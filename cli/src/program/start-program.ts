import { flushCompileCache } from 'node:module'
import type { ProgramStart } from '../ground/parts.ts'
import { executableForm } from './executable-form.ts'
import { findProgram } from './find-program.ts'
import type { StartMeans } from './forward.ts'
import { requireFits } from './size-limits.ts'

/** Become the program. Where that is not possible (Windows, or a file of which only trying tells whether it runs) start
 * it and pass signals and exit code on.
 * @throws CliError 126 · 127 */
export async function startProgram(start: ProgramStart, means: StartMeans): Promise<number> {
  if (means.platform === 'win32' || process.execve === undefined) return await forward(start, means)
  requireFits(start, means.platform)
  const path = findProgram(start.argv[0] ?? '', {
    searchPath: start.searchPath,
    cwd: process.cwd(),
  })
  const form = executableForm(path, process.execPath)
  if (form === 'other') return await forward(start, means)
  flushCompileCache() // at an exit Node does so itself, but this is none
  means.beforeHandover()
  catchIgnoredSignals()
  const isScript = form === 'script'
  const argv = isScript ? ['/bin/sh', path, ...start.argv.slice(1)] : start.argv
  return process.execve(isScript ? '/bin/sh' : path, argv, start.env)
}

async function forward(start: ProgramStart, means: StartMeans): Promise<number> {
  const { forwardTo } = await import('./forward.ts')
  return await forwardTo(start, means)
}

// Node ignores these two signals, and what is ignored stays so across execve: `yes | head` would never end. A signal
// that is caught goes back to its default.
function catchIgnoredSignals(): void {
  for (const signal of ['SIGPIPE', 'SIGXFSZ'] as const) process.on(signal, () => undefined)
}
