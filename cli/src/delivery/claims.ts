import { hostname, release, type as systemName, userInfo } from 'node:os'
import type { Environment } from '../ground/parts.ts'
import { isPlain } from '../ground/printable.ts'
import { VERSION } from '../ground/version.ts'
import type { Ask } from './ask.ts'

const MAX_LENGTH = 200

/** What this client tells the approver about itself; the page marks it as reported by the terminal. Contains no requested
 * value, but the command is shown as typed. */
export function claims(
  env: Environment,
  cwd: string,
  command: readonly string[],
): Readonly<Record<string, string>> {
  return {
    hostname: claim(hostname()),
    os: claim(`${systemName()} ${release()} ${process.arch}`),
    user: claim(userName(env)),
    client_version: VERSION,
    cwd: claim(cwd),
    command: claim(command.map(shownArgument).join(' ')),
  }
}

/** Which agent asks, and why. */
export function agentClaims({
  agent,
  reason,
}: Pick<Ask, 'agent' | 'reason'>): Readonly<Record<string, string>> {
  return { ...(agent === null ? {} : { agent }), ...(reason === null ? {} : { reason }) }
}

function userName(env: Environment): string {
  try {
    return userInfo().username
  } catch {
    return env['USER'] ?? env['LOGNAME'] ?? '' // the user id has no entry, as in containers
  }
}

/** An argument as you would type it in a shell. */
export function shownArgument(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
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
