import { MASK } from '../limits.ts'

/** Some entries cannot be written; `names` says which. The message holds names, never values. */
export class EnvWriteError extends Error {
  override readonly name = 'EnvWriteError'
  readonly names: readonly string[]

  constructor(problem: string, names: readonly string[]) {
    super(`${problem}: ${names.join(', ')}`)
    this.names = names
  }
}

const ASSIGNABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
// What no shell gives a meaning to, wherever it stands in an assigned value, and whatever its options.
const BARE = /^[A-Za-z0-9_@%+,./:-]*$/

// What bash, zsh or ksh evaluate as arithmetic when it is assigned to one of these could run a command. COLUMNS
// and LINES, which zsh alone evaluates, are left out: people keep text under these names.
const EVALUATED = new Set(
  `ARGC EGID ERRNO EUID FUNCNEST GID HISTCMD HISTSIZE KEYTIMEOUT LINENO LISTMAX LOGCHECK MAILCHECK OPTIND RANDOM
   SAVEHIST SECONDS SHLVL SRANDOM TMOUT TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID`.split(/\s+/),
)
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,8})$/

type Entry = readonly [name: string, value: string]

/** Write lines of `NAME=value` that `parseEnv` and every POSIX shell read back as exactly these values.
 * @returns one line for each entry, in their order, each with its line end (a value with line ends spans several)
 * @throws EnvWriteError: names that no shell can assign, or that shells evaluate when they do; values with NUL or
 *   a lone surrogate */
export function writeEnv(entries: Iterable<Entry>): string {
  const list = [...entries]
  requireNone('no shell can assign to', list, ([name]) => !ASSIGNABLE.test(name))
  requireNone('shells take only a number for', list, isEvaluated)
  requireNone('no environment variable can hold the value of', list, ([, value]) => !isStorable(value))
  return list.map(([name, value]) => `${name}=${written(value)}\n`).join('')
}

function requireNone(problem: string, entries: readonly Entry[], isWrong: (entry: Entry) => boolean): void {
  const wrong = entries.filter(isWrong)
  if (wrong.length > 0)
    throw new EnvWriteError(
      problem,
      wrong.map(([name]) => name),
    )
}

function isEvaluated([name, value]: Entry): boolean {
  return EVALUATED.has(name) && value !== MASK && !WHOLE_NUMBER.test(value)
}

function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0')
}

function written(value: string): string {
  if (BARE.test(value) || value === MASK) return value
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}
