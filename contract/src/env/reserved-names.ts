// Found by asking bash, zsh, dash and mksh.

/** Shells evaluate what is assigned to these as arithmetic, in which a value can run commands. No format for shells
 * accepts them: they are read-only, or change by themselves. */
export const EVALUATED_BY_SHELLS: ReadonlySet<string> = listOf(
  `ARGC BASHPID EGID ERRNO EUID GID HISTCMD KSHEGID KSHGID KSHUID LINENO OPTIND PGRP PIPESTATUS PPID RANDOM SECONDS
   SHLVL SRANDOM TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID USER_ID`,
)

/** Settings of shells that are evaluated likewise, so that only a whole number is safe. */
export const NUMBERS_OF_SHELLS: ReadonlySet<string> = listOf(
  'COLUMNS FUNCNEST HISTSIZE KEYTIMEOUT LINES LISTMAX LOGCHECK MAILCHECK SAVEHIST TMOUT',
)

/** Read-only or special in bash or zsh: an assignment fails, or does something else. */
const SPECIAL_IN_SHELLS = listOf(
  `BASHOPTS DIRSTACK EPOCHREALTIME EPOCHSECONDS FUNCNAME GROUPS HISTCHARS KEYBOARD_HACK KSH_VERSION SHELLOPTS
  USERNAME WATCH _
   aliases argv builtins cdpath commands dirstack fignore fpath funcfiletrace funcsourcetrace funcstack functions
   functions_source functrace galiases histchars history historywords jobdirs jobstates jobtexts keymaps mailpath
   manpath module_path modules nameddirs options parameters patchars path pipestatus psvar reswords saliases signals
   status termcap terminfo userdirs usergroups watch widgets`,
)
const SPECIAL_PREFIXES_IN_SHELLS = /^(?:BASH_|ZSH_|zsh_|dis_)/

const SPECIAL_IN_FISH = listOf(
  `_ FISH_VERSION PWD SHLVL argv fish_pid history hostname pipestatus status status_generation umask version`,
)

function listOf(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/))
}

export function isReservedInShells(name: string): boolean {
  return EVALUATED_BY_SHELLS.has(name) || SPECIAL_IN_SHELLS.has(name) || SPECIAL_PREFIXES_IN_SHELLS.test(name)
}

export function isReservedInFish(name: string): boolean {
  return SPECIAL_IN_FISH.has(name) || name.startsWith('fish_')
}

export function isReservedByGithub(name: string): boolean {
  return /^(?:GITHUB_|RUNNER_)/i.test(name) || name.toUpperCase() === 'NODE_OPTIONS'
}

/** A whole number as every shell's arithmetic reads it. */
export function isWholeNumber(value: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(value)
}
