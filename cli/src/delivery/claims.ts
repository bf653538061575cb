import { hostname, release, type as systemName, userInfo } from 'node:os'
import { LIMITS } from '@keyferry/contract/limits'
import { createDeviceSeed, type DeviceProof, signDeviceRequest } from '@keyferry/crypto/device-key'
import { maskedCommandDigest } from '@keyferry/crypto/masked-command'
import type { Clock, Environment, Parts } from '../base/parts.ts'
import { isPlain, shownArgument } from '../base/printable.ts'
import { VERSION } from '../base/version.ts'
import type { RequestBody } from '../server/approval-requests.ts'
import type { RequestOptions } from './values-request.ts'

const MAX_LENGTH = 200

/** What this client tells the approver about itself; the page marks it as reported by the terminal. Contains no
 * requested value. */
export function claims(
  { command, agent, reason }: Pick<RequestOptions, 'command' | 'agent' | 'reason'>,
  { env, cwd }: Pick<Parts, 'env' | 'cwd'>,
): Readonly<Record<string, string>> {
  return {
    hostname: claim(hostname()),
    os: claim(`${systemName()} ${release()} ${process.arch}`),
    user: claim(userName(env)),
    client_version: VERSION,
    cwd: claim(cwd),
    command: claim(shownLine(command)),
    ...(agent === null ? {} : { agent }),
    ...(reason === null ? {} : { reason }),
  }
}

/** The command as the approver sees it, on one line. */
export function shownLine(command: readonly string[]): string {
  return shownCommand(command).argv.map(shownArgument).join(' ')
}

function userName(env: Environment): string {
  try {
    return userInfo().username
  } catch {
    return env['USER'] ?? env['LOGNAME'] ?? '' // the user id has no entry, as in containers
  }
}

function claim(text: string): string {
  const clean = isPlain(text) ? text : withoutUnwanted(text)
  if (clean.length <= MAX_LENGTH) return clean
  return `${clean
    .slice(0, MAX_LENGTH - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`
}

function withoutUnwanted(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').toWellFormed()
}

const MASK = '***'
const SECRET_WORD =
  '(?:token|secret|passw(?:or)?d|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)'
const FLAG_WITH_VALUE = new RegExp(`^(--?[\\w-]*${SECRET_WORD}[\\w-]*=).+$`, 'is')
const FLAG_BEFORE_VALUE = new RegExp(`^--?[\\w-]*${SECRET_WORD}$`, 'i')
const ASSIGNMENT = new RegExp(`((?:^|\\s)\\w*${SECRET_WORD}\\w*=)[^\\s'"]+`, 'gi')
const USER_INFO = /(\b[a-z][\w+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi
const HEADER = /^((?:proxy-)?authorization|cookie|x-[\w-]*(?:token|key)[\w-]*)(:\s*).+$/is

const SENDS_USER = String.raw`(?:curl|wget|https?|xh)(?:\.exe)?`
const USER_PROGRAM = new RegExp(`(?:^|[/\\\\])${SENDS_USER}$`, 'i')
const USER_FLAG = /^(?:-[uUa]|--(?:proxy-)?user|--auth)$/
const USER_AND_PASSWORD = /^(-[uUa]|--(?:proxy-)?user=|--auth=)?([^\s:/]+:)(?=[^/]).+$/s
const USER_IN_SCRIPT = new RegExp(
  String.raw`((?:^|[\s;&|(/])${SENDS_USER}\s(?:[^;&|]*\s)?(?:-[uUa]\s*|--(?:proxy-)?user[\s=]+|--auth[\s=]+)['"]?[^\s:'"/]+:)[^\s'"]+`,
  'gi',
)

/** The command as the approver sees it: whole, but with a mask where an argument looks secret. */
export function shownCommand(argv: readonly string[]) {
  const shown = argv.map((argument, index) => {
    const before = argv[index - 1] ?? ''
    if (!argument.startsWith('-') && FLAG_BEFORE_VALUE.test(before)) return MASK
    return argv.slice(0, index).some((word) => USER_PROGRAM.test(word))
      ? withoutPassword(argument, before)
      : masked(argument)
  })
  return { argv: shown, isMasked: shown.some((argument, index) => argument !== argv[index]) }
}

/** As `masked`; what follows the name of a user, as programs send it to a server, is masked too. */
function withoutPassword(argument: string, before: string): string {
  const isUser = USER_FLAG.test(before) || /^(?:-[uUa]|--(?:proxy-)?user=|--auth=)./.test(argument)
  return isUser ? argument.replace(USER_AND_PASSWORD, `$1$2${MASK}`) : masked(argument)
}

function masked(argument: string): string {
  if (!/[=:]/.test(argument)) return argument // no expression below matches without one of them
  return argument
    .replace(FLAG_WITH_VALUE, `$1${MASK}`)
    .replace(HEADER, `$1$2${MASK}`)
    .replace(ASSIGNMENT, `$1${MASK}`)
    .replace(USER_INFO, `$1${MASK}`)
    .replace(USER_IN_SCRIPT, `$1${MASK}`)
}

/** Whether a server can store and show these arguments whole. */
export function canBeShown(argv: readonly string[]): boolean {
  const bytes = argv.reduce((sum, argument) => sum + Buffer.byteLength(argument), 0)
  return (
    argv.length <= LIMITS.argvItems &&
    bytes <= LIMITS.argvBytes &&
    argv.every((text) => text.isWellFormed() && !text.includes('\0'))
  )
}

/** The command as the server gets it; null if it is too long to be shown whole. */
export function sentCommand(command: readonly string[]): readonly string[] | null {
  const { argv } = shownCommand(command)
  return canBeShown(argv) ? argv : null
}

/** The fields of a request that name its command; empty if it is too long to be shown whole. */
export function commandFields(
  command: readonly string[],
  seed: Uint8Array | null,
  cwd: string,
): Pick<RequestBody, 'argv' | 'argv_masked' | 'cwd'> {
  const { argv, isMasked } = shownCommand(command)
  if (!canBeShown(argv)) return {}
  const digest = isMasked ? { argv_masked: maskedCommandDigest(command, seed ?? createDeviceSeed()) } : {}
  return { argv, ...digest, ...(cwd === '' ? {} : { cwd }) }
}

/** Sign the request with the key of this terminal; null if it names no whole command. */
export function deviceProof(
  { client_pubkey, bundle_id, workspace, template_keys = [], argv, argv_masked, cwd, use, meta }: RequestBody,
  seed: Uint8Array,
  clock: Clock,
): DeviceProof | null {
  if (argv === undefined || cwd === undefined || !canBeShown(use?.flags ?? [])) return null
  return signDeviceRequest(
    seed,
    {
      clientPublicKey: Buffer.from(client_pubkey, 'base64'),
      bundle: bundle_id,
      workspace,
      templateKeys: template_keys,
      argv,
      argvMasked: argv_masked,
      cwd,
      agent: meta['agent'],
      reason: meta['reason'],
      use,
    },
    new Date(clock.epochMs()).toISOString(),
  )
}
