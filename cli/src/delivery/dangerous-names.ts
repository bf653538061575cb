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
