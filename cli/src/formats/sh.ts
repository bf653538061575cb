import { type Format, isShellName } from './format.ts'

// Found by asking bash, zsh and dash: names to which they do not simply assign. Some are read-only or arrays; for some
// (RANDOM, OPTIND and SRANDOM in bash, ERRNO in zsh) the text is evaluated as arithmetic, in which a value can run
// commands.
const KEPT_BY_SHELLS = new Set(
  `ARGC BASHOPTS BASHPID DIRSTACK EGID EPOCHREALTIME EPOCHSECONDS ERRNO EUID FUNCNAME GID GROUPS HISTCHARS HISTCMD
   KEYBOARD_HACK LINENO OPTIND PPID RANDOM SECONDS SHELLOPTS SHLVL SRANDOM TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE
   UID USERNAME WATCH _ aliases argv builtins cdpath commands dirstack fignore fpath funcfiletrace funcsourcetrace
   funcstack functions functions_source functrace galiases histchars history historywords jobdirs jobstates jobtexts
   keymaps mailpath manpath module_path modules nameddirs options parameters patchars path pipestatus psvar reswords
   saliases signals status termcap terminfo userdirs usergroups watch widgets`.split(/\s+/),
)
const KEPT_PREFIXES = /^(?:BASH_|ZSH_|zsh_|dis_)/
// Whole numbers in zsh, evaluated likewise; LOGCHECK once its module is loaded, TMOUT in ksh.
const NUMERIC = new Set(
  'COLUMNS LINES HISTSIZE SAVEHIST KEYTIMEOUT LISTMAX LOGCHECK MAILCHECK FUNCNEST TMOUT'.split(' '),
)

/** `export` lines for `eval "$(keyferry pull)"` in sh, dash, bash, ksh and zsh. Single quotes keep every byte. */
export const sh: Format = {
  whyNot: (name, value) => {
    if (!isShellName(name)) return 'a name may not begin with a digit'
    if (KEPT_BY_SHELLS.has(name) || KEPT_PREFIXES.test(name)) return 'shells keep this name for themselves'
    return NUMERIC.has(name) && !/^(?:0|[1-9]\d{0,8})$/.test(value) ? 'shells take only a number here' : null
  },
  write: (values) =>
    [...values].map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`).join(''),
}
