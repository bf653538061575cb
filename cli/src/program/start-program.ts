import module from 'node:module'
import type { ProgramStart } from '../base/parts.ts'
import type { ChildStart } from './child.ts'
import { executableForm } from './executable-form.ts'
import { findProgram } from './find-program.ts'
import { requireFits } from './size-limits.ts'

/** Become the program. Where that is not possible (on Windows, before Node.js 23.11, if its output is filtered, if it
 * has files, if it gets file descriptors that execve would close, or if the file may not start), run it as a child
 * process, forward signals to it and return its exit code.
 * @throws CliError 126 · 127 · general: the environment is too large */
export async function startProgram(start: ProgramStart, options: ChildStart): Promise<number> {
  requireFits(start, options.platform)
  const isFiltered = start.filters.stdout !== null || start.filters.stderr !== null
  const isParent =
    start.isParentNeeded || isFiltered || options.inherited.some(({ isClosedOnExec }) => isClosedOnExec)
  if (isParent || options.platform === 'win32' || process.execve === undefined)
    return await forward(start, options)
  const path = findProgram(start.argv[0] ?? '', { searchPath: start.searchPath, cwd: process.cwd() })
  const form = executableForm(path, process.execPath)
  if (form === 'other') return await forward(start, options)
  module.flushCompileCache() // Node does this at exit, but execve is no exit
  options.beforeHandover()
  // Node ignores these signals, and execve keeps an ignored signal ignored, so `yes | head` would never end. execve
  // resets a signal that has a listener.
  for (const signal of ['SIGPIPE', 'SIGXFSZ'] as const) process.on(signal, () => undefined)
  const isScript = form === 'script'
  const argv = isScript ? ['/bin/sh', path, ...start.argv.slice(1)] : start.argv
  return process.execve(isScript ? '/bin/sh' : path, argv, start.env)
}

async function forward(start: ProgramStart, options: ChildStart): Promise<number> {
  const { forwardTo } = await import('./child.ts')
  return await forwardTo(start, options)
}
