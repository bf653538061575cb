import { LIMITS } from '@keyferry/contract/limits'

const MASK = '***'
const SECRET_WORD =
  '(?:token|secret|passw(?:or)?d|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)'
const FLAG_WITH_VALUE = new RegExp(`^(--?[\\w-]*${SECRET_WORD}[\\w-]*=).+$`, 'is')
const FLAG_BEFORE_VALUE = new RegExp(`^--?[\\w-]*${SECRET_WORD}$`, 'i')
const ASSIGNMENT = new RegExp(`((?:^|\\s)\\w*${SECRET_WORD}\\w*=)[^\\s'"]+`, 'gi')
const USER_INFO = /(\b[a-z][\w+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi
const HEADER = /^((?:proxy-)?authorization|cookie|x-[\w-]*(?:token|key)[\w-]*)(:\s*).+$/is

export type ShownCommand = {
  /** The arguments, with a mask where one looks secret. */
  readonly argv: readonly string[]
  readonly isMasked: boolean
}

/** The command as the approver sees it: whole, but a secret in it stays here. */
export function shownCommand(argv: readonly string[]): ShownCommand {
  const shown = argv.map((argument, index) => {
    const isValue = !argument.startsWith('-') && isSecretFlag(argv[index - 1] ?? '')
    return isValue ? MASK : masked(argument)
  })
  return { argv: shown, isMasked: shown.some((argument, index) => argument !== argv[index]) }
}

function isSecretFlag(argument: string): boolean {
  return argument.startsWith('-') && FLAG_BEFORE_VALUE.test(argument)
}

function masked(argument: string): string {
  if (!/[=:]/.test(argument)) return argument // no expression below matches without one of them
  return argument
    .replace(FLAG_WITH_VALUE, `$1${MASK}`)
    .replace(HEADER, `$1$2${MASK}`)
    .replace(ASSIGNMENT, `$1${MASK}`)
    .replace(USER_INFO, `$1${MASK}`)
}

/** Whether a server can hold and show these arguments whole. */
export function canBeShown(argv: readonly string[]): boolean {
  const bytes = argv.reduce((sum, argument) => sum + Buffer.byteLength(argument), 0)
  return (
    argv.length <= LIMITS.argvItems &&
    bytes <= LIMITS.argvBytes &&
    argv.every((text) => text.isWellFormed() && !text.includes('\0'))
  )
}
