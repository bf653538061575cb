import type { Environment } from '../ground/parts.ts'

/** Why no browser can be opened here; null if one can. */
export function whyNoBrowser(env: Environment, platform: NodeJS.Platform): string | null {
  const has = (name: string): boolean => (env[name] ?? '') !== ''
  if (has('CI')) return 'this is a CI job'
  if (has('SSH_CONNECTION') || has('SSH_TTY') || has('SSH_CLIENT')) return 'this is an SSH session'
  const hasDisplay = has('DISPLAY') || has('WAYLAND_DISPLAY') || has('WSL_DISTRO_NAME')
  if (platform !== 'darwin' && platform !== 'win32' && !hasDisplay) return 'there is no display'
  return null
}
