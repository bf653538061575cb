import { LIMITS } from '@keyferry/contract/limits'
import { usageError } from '../cli-error.ts'
import type { Flag, Words } from '../command.ts'
import { isDangerousName } from '../delivery/dangerous-names.ts'
import type { Ask } from '../delivery/deliver.ts'
import { DEFAULT_SERVER, parseServerAddress } from '../server/server-address.ts'
import type { Environment } from '../surroundings.ts'
import { printable } from '../terminal/printable.ts'

export const SERVER_FLAG: Flag = {
  name: 'server',
  value: 'URL',
  summary: `Address of the server (else KEYFERRY_SERVER, else ${DEFAULT_SERVER})`,
}

/** The flags of every command that asks for values. */
export const ASKING_FLAGS: readonly Flag[] = [
  {
    name: 'keys',
    value: 'A,B',
    repeats: true,
    summary: 'Ask for these keys only, and refuse any other that is delivered',
  },
  SERVER_FLAG,
  { name: 'no-open', summary: 'Do not open the browser; print the link only' },
  {
    name: 'allow-name',
    value: 'NAME',
    repeats: true,
    summary: 'Take this name although it can make programs load code (PATH, LD_PRELOAD, NODE_OPTIONS, ...)',
  },
]

/** What the asking flags and the bundle operand say. */
export function readAsk(words: Words, env: Environment): Omit<Ask, 'format' | 'command'> {
  const keys = words.names('keys')
  const allowedNames = words.names('allow-name')
  for (const name of [...keys, ...allowedNames]) requireKeyName(name)
  requireHarmlessKeys(keys, allowedNames)
  return {
    server: serverOf(words, env),
    bundle: bundleOf(words),
    keys,
    allowedNames,
    whyNotOpen: words.has('no-open') ? '--no-open was given' : null,
    view: 'person',
  }
}

/** The server that a command talks to. */
export function serverOf(words: Words, env: Environment): string {
  const flag = words.text('server')
  if (flag !== null) return parseServerAddress(flag, '--server')
  const variable = env['KEYFERRY_SERVER'] ?? ''
  return variable === '' ? DEFAULT_SERVER : parseServerAddress(variable, 'KEYFERRY_SERVER')
}

function bundleOf({ operands }: Words): string | null {
  const [bundle] = operands
  if (bundle === undefined) return null
  if (bundle !== '' && bundle.length <= LIMITS.nameLength && /^[A-Za-z0-9/_-]+$/.test(bundle)) return bundle
  throw usageError(
    `${printable(bundle, 80)} is not the name of a bundle`,
    'A name holds letters, digits, /, - and _, for example dev/app.',
  )
}

/** @throws CliError usage: no name that a key can have */
export function requireKeyName(name: string): void {
  if (/^[A-Za-z0-9_]+$/.test(name) && name.length <= LIMITS.nameLength) return
  throw usageError(
    `${printable(name, 80)} is not the name of a key`,
    'A name holds letters, digits and _, for example DATABASE_URL.',
  )
}

function requireHarmlessKeys(keys: readonly string[], allowedNames: readonly string[]): void {
  const dangerous = keys.filter((name) => isDangerousName(name) && !allowedNames.includes(name))
  if (dangerous.length === 0) return
  throw usageError(
    `${dangerous.join(', ')} can make programs load code`,
    `If you mean it, add ${dangerous.map((name) => `--allow-name ${name}`).join(' ')}.`,
  )
}
