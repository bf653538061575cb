import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, SocketAddress } from 'node:net'

/** Which proxies may name the address of a client, and in which header. */
export type TrustedProxies = {
  /** Addresses or networks; `nearest`: the direct peer, whatever its address is. */
  proxies: readonly string[] | 'nearest'
  /** The one header that counts: `Forwarded` (RFC 7239), or any other whose value is a list of addresses. */
  header: string
}

/** The address that a call counts for: the first from the right that is no trusted proxy. A proxy adds its peer at the
 * right, so everything left of that address is a claim of the client. An unreadable entry ends the walk at the last
 * address that a trusted proxy named.
 * @returns '' for a call over a Unix socket without the header */
export function clientAddressReader(trusted: TrustedProxies): (raw: IncomingMessage) => string {
  const name = trusted.header.toLowerCase()
  const isProxy = trusted.proxies === 'nearest' ? null : networkCheck(trusted.proxies)
  return ({ socket, headers }) => {
    const entries = String(headers[name] ?? '').split(',')
    let address = plainAddress(socket.remoteAddress ?? '') ?? ''
    for (let hop = 0; isProxy ? isProxy(address) : hop === 0; hop++) {
      const entry = entries.pop()
      const next = entry === undefined ? null : plainAddress(name === 'forwarded' ? forOf(entry) : entry)
      if (next === null) break
      address = next
    }
    return address
  }
}

/** Whether an address belongs to one of these addresses or networks. */
export function networkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

/** `[address]` or `[address]:port`, or an IPv4 address with a port. */
const WRAPPED = /^\[([^\]]*)\](?::\d{1,5})?$|^([\d.]+):\d{1,5}$/

/** The one notation of an address, so that limits, networks and logs see the same text: without blanks, port, brackets
 * and zone, IPv6 in its short form, and IPv4 inside IPv6 as IPv4.
 * @returns null: no address */
export function plainAddress(text: string): string | null {
  const bare = text.trim()
  const [, inBrackets, beforePort] = WRAPPED.exec(bare) ?? []
  const address = (inBrackets ?? beforePort ?? bare).replace(/%[^%]+$/, '')
  if (isIP(address) === 0) return null
  const short = new SocketAddress({ address, family: familyOf(address) }).address
  return short.replace(/^::ffff:(?=\d+\.)/, '')
}

// A comma inside quotes would be no address, so it may end the entry.
function forOf(entry: string): string {
  return /(?:^|;)\s*for\s*=\s*(?:"([^"]*)"|([^";\s]*))\s*(?:;|$)/i.exec(entry)?.slice(1).join('') ?? ''
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
