import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code.ts'
import type { Values } from './delivered-values.ts'

// What a shell runs or loads from: its start, its prompts, its functions and modules, what tells of mail.
const SHELL = `BASHOPTS BASH_ENV BASH_LOADABLES_PATH ENV FPATH IFS INPUTRC MAILPATH MODULE_PATH PATH PROMPT PROMPT2 PROMPT3
  PROMPT4 PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 RPROMPT RPROMPT2 RPS1 RPS2 SHELLOPTS SPROMPT ZDOTDIR`
// Where languages and libraries look for code, or what they run before the program.
const LANGUAGES = `CLASSPATH DOTNET_STARTUP_HOOKS GCONV_PATH JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LUA_CPATH LUA_INIT LUA_PATH
  NODE_OPTIONS NODE_PATH OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES PERL5DB PERL5LIB PERL5OPT PERLLIB PYTHONHOME
  PYTHONPATH PYTHONSTARTUP RUBYLIB RUBYOPT _JAVA_OPTIONS`
// Programs that git, ssh and less start.
const TOOLS = `GIT_ASKPASS GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL GIT_CONFIG_PARAMETERS GIT_CONFIG_SYSTEM GIT_EDITOR GIT_EXEC_PATH
  GIT_EXTERNAL_DIFF GIT_PAGER GIT_PROXY_COMMAND GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND GIT_TEMPLATE_DIR LESSCLOSE
  LESSOPEN SSH_ASKPASS`
const DANGEROUS = new Set([SHELL, LANGUAGES, TOOLS].flatMap((names) => names.split(/\s+/)))

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
