import type { Environment } from '../ground/parts.ts'

/** Arguments that make a shell run the first word as a command line, with the other words as $1, $2, ... */
export function throughShell(
  [line = '', ...rest]: readonly string[],
  env: Environment,
  platform: NodeJS.Platform,
): readonly string[] {
  if (platform === 'win32') return [env['ComSpec'] ?? 'cmd.exe', '/d', '/s', '/c', [line, ...rest].join(' ')]
  return ['/bin/sh', '-c', line, 'sh', ...rest]
}
