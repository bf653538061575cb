import { addressesOf } from '@keyferry/plumbing/several-hosts'
import type { Settings } from './settings/setting-table.ts'
import { StartError } from './start-error.ts'

const INSUFFICIENT_PRIVILEGE = '42501'

/** One line that says why the program does not start, and what to do. */
export function failureLine(error: unknown, settings: Settings | null): string {
  const line = error instanceof StartError ? error.message : lineOf(error, settings)
  return `keyferry-server: ${line.replace(/\s*\n\s*/g, ' ')}\n`
}

function lineOf(error: unknown, settings: Settings | null): string {
  if (!(error instanceof Error)) return 'cannot start'
  if (!settings) return error.message
  return listeningLine(error, settings) ?? withoutSecrets(storeLine(error) ?? error.message, settings)
}

function listeningLine(error: Error, settings: Settings): string | null {
  // The same codes come from files of another user, and from other hosts.
  const isListening = 'syscall' in error && /^(listen|bind|getaddrinfo)$/.test(String(error.syscall))
  const code = isListening && 'code' in error ? error.code : null
  const port = 'port' in error && typeof error.port === 'number' ? error.port : settings.PORT
  const isMetrics = port === settings.METRICS_PORT && port !== settings.PORT
  const [hostName, portName] = isMetrics
    ? (['METRICS_HOST', 'METRICS_PORT'] as const)
    : (['HOST', 'PORT'] as const)
  const place = `port ${port} on ${settings[hostName]}`
  if (code === 'EADDRINUSE')
    return `${place} is in use: stop the program that listens there, or set ${portName}`
  if (code === 'EACCES') return `no permission to listen on ${place}: set ${portName} to 1024 or more`
  const isElsewhere = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
  return isElsewhere
    ? `${hostName} ${settings[hostName]} is not an address of this machine: set ${hostName}`
    : null
}

function storeLine(error: Error): string | null {
  if ('severity' in error) {
    const isForeign = 'code' in error && error.code === INSUFFICIENT_PRIVILEGE
    return `DATABASE_URL: PostgreSQL answered: ${error.message}${isForeign ? ': make its user own the database' : ''}`
  }
  if (error.message === 'The server does not support SSL connections')
    return 'DATABASE_URL: PostgreSQL offers no TLS: set up TLS there, or use sslmode=disable on a network of your own'
  if (!('code' in error) || error.code !== 'unavailable') return null
  const reason = answerIn(error.cause)
  if (/redis/i.test(error.message))
    return `REDIS_URL: Redis does not answer or refuses the connection${reason}`
  return /database/i.test(error.message)
    ? `DATABASE_URL: the database does not answer or refuses the connection${reason}`
    : null
}

// What the server itself answered helps most, such as `WRONGPASS …`.
function answerIn(cause: unknown): string {
  return cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : ''
}

// An error of a database or Redis client can contain the URL that it got, including the password.
function withoutSecrets(text: string, settings: Settings): string {
  const urls = [settings.DATABASE_URL, settings.REDIS_URL].filter((url) => url !== undefined)
  const addresses = urls.flatMap(addressesOf)
  const passwords = addresses.map((url) => new URL(url).password).filter((password) => password !== '')
  const secrets = [...urls, ...addresses, ...passwords, ...passwords.map(decodeURIComponent)]
  return secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text)
}
