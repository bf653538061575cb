import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../base/parts.ts'

/** The words of the command in BROWSER: of a list separated by colons, the first whose program exists, else the first.
 * A path may have blanks. Null without one. */
export function browserCommand(env: Environment, platform: NodeJS.Platform): readonly string[] | null {
  if (platform === 'win32') return null // BROWSER is not used there, and paths contain colons
  const listed = (env['BROWSER'] ?? '').split(':').flatMap((text) => {
    const words = existsSync(text.trim()) ? [text.trim()] : text.split(/\s+/).filter((word) => word !== '')
    return words.length === 0 ? [] : [words]
  })
  return listed.find(([program = '']) => program === 'none' || isFound(program, env)) ?? listed[0] ?? null
}

function isFound(program: string, env: Environment): boolean {
  const folders = program.includes('/') ? [''] : (env['PATH'] ?? '').split(':')
  return folders.some((folder) => existsSync(folder === '' ? program : join(folder, program)))
}

/** Why no browser is opened, if the person wants none. */
export const NO_OPEN = '--no-open was given'

const SSH = ['SSH_CONNECTION', 'SSH_TTY', 'SSH_CLIENT']
const CONTAINERS = ['CODESPACES', 'REMOTE_CONTAINERS', 'GITPOD_WORKSPACE_ID']

/** Whether the browser is on another machine, even if it can be opened from here. An editor that forwards ports would
 * let a container listen on the person's machine. */
export function isBrowserElsewhere(env: Environment): boolean {
  return [...SSH, ...CONTAINERS].some((name) => has(env, name))
}

const has = (env: Environment, name: string): boolean => (env[name] ?? '') !== ''

/** Why no browser can be opened here; null if one can. */
export function whyNoBrowser(env: Environment, platform: NodeJS.Platform): string | null {
  if (has(env, 'CI')) return 'this is a CI job'
  const command = browserCommand(env, platform)
  if (command !== null) return command[0] === 'none' ? 'BROWSER is none' : null
  if (SSH.some((name) => has(env, name))) return 'this is an SSH session'
  const hasDisplay = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => has(env, name))
  if (platform !== 'darwin' && platform !== 'win32' && !hasDisplay) return 'there is no display'
  return null
}
