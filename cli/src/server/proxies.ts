import { BlockList, isIP } from 'node:net'
import { NetworkError } from '../base/exchange.ts'
import type { Environment } from '../base/parts.ts'

/** The proxy for an address, by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY as curl reads them: a proxy without a
 * scheme is an http proxy.
 * @param version of Node.js, for example `20.20.2`. Before 24.5 it has no proxy support
 * @returns null: the connection is direct
 * @throws NetworkError ENOPROXY: this client cannot use the proxy. It never goes another way than configured */
export function proxyOf(url: URL, env: Environment, version: string): string | null {
  const [name, text] = configured(url, env)
  if (text === '' || isExcepted(url, env)) return null
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const proxy = URL.canParse(withScheme) ? new URL(withScheme) : null
  if (proxy === null || proxy.hostname === '')
    throw unusable(`${name} is not the address of a proxy; use a form such as http://proxy.example.com:3128`)
  if (!/^https?:$/.test(proxy.protocol))
    throw unusable(
      `${name} names a ${proxy.protocol}// proxy; the client can use http:// and https:// proxies only`,
    )
  if (!hasProxies(version))
    throw unusable(
      `${name} is set, but Node.js ${version} cannot use a proxy; use Node.js 24.5 or newer, or set NO_PROXY`,
    )
  return proxy.href
}

function configured({ protocol }: URL, env: Environment): readonly [name: string, text: string] {
  const names = [protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', 'ALL_PROXY']
  for (const name of names.flatMap((each) => [each.toLowerCase(), each])) {
    const text = (env[name] ?? '').trim()
    if (text !== '') return [name, text]
  }
  return ['', '']
}

function unusable(message: string): NetworkError {
  return new NetworkError('ENOPROXY', message)
}

function hasProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5)
}

function isExcepted(url: URL, env: Environment): boolean {
  const entries = (env['no_proxy'] || env['NO_PROXY'] || '').split(/[,\s]+/)
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  return entries.some((entry) => entry === '*' || isNamed(entry.toLowerCase(), hostname, portOf(url)))
}

function portOf({ protocol, port }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

// `example.test` and `.example.test` mean the host and all hosts under it. `10.0.0.0/8` means a network. An entry with
// a port means only this port.
function isNamed(entry: string, hostname: string, port: string): boolean {
  const [, bracketed, rest = ''] = /^\[(.*)\](.*)$/.exec(entry) ?? []
  const [, bare = entry, suffix = ''] =
    bracketed === undefined ? (/^([^:]*)(:\d+)$/.exec(entry) ?? []) : ['', bracketed, rest]
  if (suffix !== '' && suffix !== `:${port}`) return false
  if (isIP(hostname) > 0) return isInNetwork(bare, hostname)
  const host = bare.replace(/^\*?\./, '').replace(/\.$/, '')
  return host !== '' && (hostname === host || hostname.endsWith(`.${host}`))
}

function isInNetwork(entry: string, address: string): boolean {
  const [start = '', length] = entry.split('/')
  const family = isIP(start)
  if (family === 0 || family !== isIP(address)) return false
  const kind = family === 4 ? 'ipv4' : 'ipv6'
  const bits = length === undefined ? NaN : Number(length)
  const network = new BlockList()
  if (Number.isInteger(bits) && bits >= 0 && bits <= (family === 4 ? 32 : 128))
    network.addSubnet(start, bits, kind)
  else if (length === undefined) network.addAddress(start, kind)
  return network.check(address, kind)
}
