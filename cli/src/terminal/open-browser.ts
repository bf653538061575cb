import { spawn } from 'node:child_process'
import type { Environment } from '../base/parts.ts'
import { browserCommand } from './browser.ts'

/** Open the person's browser at `url`: the one that BROWSER names, else the system's. The terminal shows the link
 * anyway, so a failure is ignored. */
export function openBrowser(url: string, env: Environment, platform: NodeJS.Platform): void {
  const [file, args] = opener(url, env, platform)
  const child = spawn(file, args, { stdio: 'ignore', detached: platform !== 'win32' })
  child.on('error', () => undefined)
  child.unref()
}

// On Unix a shell starts the browser in the background and exits. Otherwise the program that takes over this process
// would inherit a child that it never started.
function opener(url: string, env: Environment, platform: NodeJS.Platform): [string, string[]] {
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', url]]
  if (platform === 'darwin') return ['open', [url]]
  const named = browserCommand(env, platform)
  if (named !== null) return ['/bin/sh', ['-c', '"$@" &', 'sh', ...withUrl(named, url)]]
  const isWsl = (env['WSL_DISTRO_NAME'] ?? '') !== ''
  return ['/bin/sh', ['-c', '"$0" "$1" &', isWsl ? 'wslview' : 'xdg-open', url]]
}

// `%s` in BROWSER is replaced by the address; without `%s` the address is the last argument.
function withUrl(words: readonly string[], url: string): string[] {
  const filled = words.map((word) => word.replaceAll('%s', () => url))
  return words.some((word) => word.includes('%s')) ? filled : [...filled, url]
}
