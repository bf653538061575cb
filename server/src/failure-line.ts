import type { Settings } from './setting-table.ts'
import { StartError } from './start-error.ts'

/** One line that says why the program does not start, and what to do. */
export function failureLine(error: unknown, settings: Settings | null): string {
  const line = error instanceof StartError ? error.message : lineOf(error, settings)
  return `keyferry-server: ${line.replace(/\s*\n\s*/g, ' ')}\n`
}

function lineOf(error: unknown, settings: Settings | null): string {
  if (!(error instanceof Error)) return 'cannot start'
  const code = 'code' in error ? error.code : null
  const place = settings ? `port ${settings.PORT} on ${settings.HOST}` : 'the port'
  if (code === 'EADDRINUSE') return `${place} is taken: stop what listens there, or set PORT`
  if (code === 'EACCES') return `${place} needs more rights: set PORT to 1024 or more`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `HOST or a server's name is unknown here (${code})`
  return settings ? withoutSecrets(error.message, settings) : error.message
}

// What a database or Redis client says may repeat the address it was given, password and all.
function withoutSecrets(text: string, settings: Settings): string {
  const addresses = [settings.DATABASE_URL, settings.REDIS_URL].filter((url) => url !== undefined)
  const passwords = addresses.map((url) => new URL(url).password).filter((password) => password !== '')
  const secrets = [...addresses, ...passwords, ...passwords.map(decodeURIComponent)]
  return secrets.reduce((line, secret) => line.replaceAll(secret, '…'), text)
}
