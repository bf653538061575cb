import { spawn } from 'node:child_process'
import type { Environment } from '../ground/parts.ts'

/** Open the person's browser at `url`. Whether it worked is not known: the link stands in the terminal anyway. */
export function openBrowser(url: string, env: Environment, platform: NodeJS.Platform): void {
  const [file, args] = opener(url, env, platform)
  const child = spawn(file, args, { stdio: 'ignore', detached: platform !== 'win32' })
  child.on('error', () => undefined)
  child.unref()
}

function opener(url: string, env: Environment, platform: NodeJS.Platform): [string, string[]] {
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]]
  if (platform === 'darwin') return ['open', [url]]
  const isWsl = (env['WSL_DISTRO_NAME'] ?? '') !== ''
  // The shell leaves at once and the browser is adopted by init, so that the program that takes over this process
  // does not find a child it never started.
  return ['/bin/sh', ['-c', '"$0" "$1" &', isWsl ? 'wslview' : 'xdg-open', url]]
}
