import { isIPv6 } from 'node:net'

const GROUPS = 8
const NETWORK_GROUPS = 4
const MAPPED_V4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** What a limit counts for an address: an IPv6 one by its /64, all of which one subscriber has at will; an IPv4 one by
 * itself, however it is written; anything else as it stands. */
export function addressBlock(address: string): string {
  const v4 = MAPPED_V4.exec(address)?.[1]
  if (v4 !== undefined) return v4
  if (!isIPv6(address)) return address
  const network = groupsOf(address).slice(0, NETWORK_GROUPS)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

// `::` stands for as many zeros as are missing; of what follows the network nothing is read.
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const before = head.split(':').filter((group) => group !== '')
  if (tail === undefined) return before
  const after = tail.split(':').filter((group) => group !== '')
  const quad = after.at(-1)?.includes('.') === true ? 1 : 0
  const missing = GROUPS - before.length - after.length - quad
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after]
}
