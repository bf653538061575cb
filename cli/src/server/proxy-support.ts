import { NetworkError } from '../ground/exchange.ts'
import type { Environment } from '../ground/parts.ts'

const FIRST_WITH_PROXIES = [24, 5] as const

/** Node.js older than 24.5 has no proxy support. Ignoring a proxy would send the request another way than configured.
 * @param version of Node.js, for example `20.20.2`
 * @throws NetworkError ENOPROXY: a proxy is set for this address, and this Node.js cannot use it */
export function requireProxySupport({ protocol, hostname }: URL, env: Environment, version: string): void {
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const proxy = env[name.toLowerCase()] || env[name]
  if (hasProxies(version) || !proxy || isExcepted(hostname, env)) return
  throw new NetworkError(
    'ENOPROXY',
    `${name} is set, but Node.js ${version} cannot use a proxy; use Node.js 24.5 or newer, or set NO_PROXY`,
  )
}

function hasProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor, neededMinor] = FIRST_WITH_PROXIES
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}

function isExcepted(hostname: string, env: Environment): boolean {
  const entries = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[,\s]+/)
  return entries.some((entry) => {
    const host = entry.replace(/^\*?\./, '').toLowerCase()
    return entry === '*' || (host !== '' && (hostname === host || hostname.endsWith(`.${host}`)))
  })
}
