import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code.ts'
import type { Values } from './delivered-values.ts'

const DANGEROUS = new Set([
  'NODE_OPTIONS',
  'BASH_ENV',
  'ENV',
  'BASHOPTS',
  'SHELLOPTS',
  'PROMPT_COMMAND',
  'PS4',
  'ZDOTDIR',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'PERL5DB',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'PATH',
  'IFS',
])

/** Whether a variable of this name makes a program load or run code that its user did not name. Letter case does not
 * count: Windows ignores it, and zsh ties `path` to `PATH`. */
export function isDangerousName(name: string): boolean {
  const upper = name.toUpperCase()
  return DANGEROUS.has(upper) || upper.startsWith('LD_') || upper.startsWith('DYLD_')
}

/** The values under their final names.
 * @throws CliError general: a name that makes programs load code and is not among `allowedNames` */
export function harmlessValues(
  values: Values,
  { prefix, allowedNames }: { readonly prefix: string; readonly allowedNames: readonly string[] },
): Values {
  const renamed = new Map([...values].map(([name, value]) => [prefix + name, value]))
  const dangerous = [...renamed.keys()].filter(
    (name) => isDangerousName(name) && !allowedNames.includes(name),
  )
  if (dangerous.length === 0) return renamed
  const flags = dangerous.map((name) => `--allow-name ${name}`).join(' ')
  throw new CliError(
    EXIT.general,
    `${dangerous.join(', ')} can make programs load code, so the delivery was not used`,
    `If you mean it, run the same command again with ${flags}.`,
  )
}
