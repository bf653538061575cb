import { existsSync } from 'node:fs'
import module from 'node:module'
import type { ProgramStart } from '../base/parts.ts'
import type { ChildStart } from './child.ts'
import { executableForm } from './executable-form.ts'
import { findProgram } from './find-program.ts'
import { requireFits } from './size-limits.ts'

// If execve fails, Node.js aborts and the system may write a core file, with the values in it. So the client becomes
// this program, which then becomes the wanted one, or ends with a message and 126 or 127. It changes no variable.
const STEP = '/usr/bin/env'

/** Become the program. Where that is not possible (on Windows, before Node.js 23.11, if its output is filtered, if it
 * has files, if it gets file descriptors that execve would close, if it may not start, or without `env`), run it as a
 * child process, forward signals to it and return its exit code.
 * @throws CliError 126 · 127 · general: the environment is too large */
export async function startProgram(start: ProgramStart, options: ChildStart): Promise<number> {
  const isLarge = requireFits(start, options.platform)
  const isFiltered = start.filters.stdout !== null || start.filters.stderr !== null
  const isParent =
    isLarge ||
    start.isParentNeeded ||
    isFiltered ||
    options.inherited.some(({ isClosedOnExec }) => isClosedOnExec)
  if (isParent || options.platform === 'win32' || process.execve === undefined)
    return await forward(start, options)
  const { searchPath, env } = start
  const [name = '', ...args] = start.argv
  const path = findProgram(name, { searchPath, cwd: process.cwd() })
  const form = executableForm(path, process.execPath)
  const found = form === 'script' ? '/bin/sh' : name
  const isFoundAlike = found.includes('/') || env['PATH'] === searchPath
  if (form === 'foreign' || !isFoundAlike || found.includes('=') || !existsSync(STEP))
    return await forward(start, options)
  module.flushCompileCache() // Node does this at exit, but execve is no exit
  options.beforeHandover()
  // Node ignores these signals, and execve keeps an ignored signal ignored, so `yes | head` would never end. execve
  // resets a signal that has a listener.
  for (const signal of ['SIGPIPE', 'SIGXFSZ'] as const) process.on(signal, () => undefined)
  return process.execve(STEP, [STEP, '--', found, ...(form === 'script' ? [path] : []), ...args], env)
}

async function forward(start: ProgramStart, options: ChildStart): Promise<number> {
  const { forwardTo } = await import('./child.ts')
  return await forwardTo(start, options)
}
