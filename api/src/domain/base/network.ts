import { BlockList, isIP } from 'node:net'
import { DomainError } from './errors.ts'

/*
 * A list of networks that a caller must come from, each an address or a network such as 10.0.0.0/8. An empty list
 * allows every address. The address is that of the first proxy which TRUST_PROXY does not name.
 */

/** The networks in one notation: each with its number of bits.
 * @throws DomainError invalid, naming the entry */
export function parseNetworks(networks: readonly string[]): string[] {
  return networks.map((text) => {
    const network = parse(text)
    if (network !== null) return `${network.address}/${network.bits}`
    const message = 'networks must hold addresses or networks such as 10.0.0.5 or 10.0.0.0/8'
    throw new DomainError('invalid', message, { details: { field: 'networks' } })
  })
}

/** @param networks as `parseNetworks` gives them */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return true
  const family = isIP(address)
  if (family === 0) return false
  return blockListOf(networks).check(address, family === 4 ? 'ipv4' : 'ipv6')
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks.flatMap((text) => parse(text) ?? [])) {
    list.addSubnet(network.address, network.bits, network.family)
  }
  return list
}

function parse(text: string): { address: string; bits: number; family: 'ipv4' | 'ipv6' } | null {
  const [address = '', given, ...rest] = text.trim().split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return null
  const width = version === 4 ? 32 : 128
  const bits = given === undefined ? width : /^\d{1,3}$/.test(given) ? Number(given) : -1
  if (bits < 0 || bits > width) return null
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}
