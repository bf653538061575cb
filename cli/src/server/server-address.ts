import { isLoopback } from '@keyferry/plumbing/loopback'
import { usageError } from '../base/cli-error.ts'
import { printable } from '../base/printable.ts'

export const DEFAULT_SERVER = 'http://127.0.0.1:5393'

/** The address of a server, without a slash at its end: https, or http for this machine only. A host without a scheme,
 * such as `keyferry.example.com` or `localhost:5393`, means https, or http for this machine.
 * @param source where the text comes from, for error messages: `--server`, `KEYFERRY_SERVER`, a file
 * @throws CliError usage */
export function parseServerAddress(text: string, source: string): string {
  const url = parseUrl(withScheme(text))
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw usageError(
      `${source} is not a server address: ${printable(text)}`,
      `Use a form such as https://keyferry.example.com or ${DEFAULT_SERVER}.`,
    )
  }
  requireBareAddress(url, source)
  requireHttps(url, source)
  return url.origin + url.pathname.replace(/\/+$/, '')
}

// URL.parse needs Node.js 22.
function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

function withScheme(text: string): string {
  if (!/^[\w.-]+(?::\d+)?(?:\/|$)|^\[[\da-f:]+\](?::\d+)?(?:\/|$)/i.test(text)) return text
  const host = parseUrl(`https://${text}`)?.hostname ?? ''
  return `${isLoopback(host) ? 'http' : 'https'}://${text}`
}

function requireBareAddress(url: URL, source: string): void {
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError(
      `${source} has more than an address (a user, a password, ? or #)`,
      'Use only scheme, host, port and path.',
    )
  }
}

function requireHttps(url: URL, source: string): void {
  if (url.protocol === 'https:' || isLoopback(url.hostname)) return
  throw usageError(
    `${source} is ${printable(url.origin)}, which is not https: others on the network could read and change the traffic`,
    'Use the https address of the server. http works only for this machine.',
  )
}

/** Whether the server at this address is this machine. */
export function isOnThisMachine(server: string): boolean {
  return isLoopback(new URL(server).hostname)
}
