import { isIPv4, isIPv6 } from 'node:net'

const GROUPS = 8
const BITS_OF_GROUP = 16
const MAPPED_V4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** The name that a limit counts an address by. IPv6 callers are limited per network, because a subscriber controls the
 * whole block. An IPv4 address counts by itself, in either notation; other text as it is. */
export function addressBlock(address: string, networkBits: 48 | 64 = 64): string {
  const v4 = MAPPED_V4.exec(address)?.[1]
  if (v4 !== undefined) return v4
  if (!isIPv6(address)) return address
  const network = groupsOf(address).slice(0, networkBits / BITS_OF_GROUP)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/${networkBits}`
}

/** Whether limits by network apply to the address. */
export function isIPv6Network(address: string): boolean {
  return isIPv6(address) && !MAPPED_V4.test(address)
}

/** Whether two addresses belong to one network: equal IPv4 addresses, IPv6 addresses of one /64, or both loopback.
 * Null for IPv4 and IPv6: a caller with both can use either. */
export function isSameNetwork(first: string, second: string): boolean | null {
  const [one, other] = [addressBlock(first), addressBlock(second)]
  if (one === other || (isLoopback(one) && isLoopback(other))) return true
  return isIPv4(one) === isIPv4(other) || isLoopback(one) || isLoopback(other) ? false : null
}

const isLoopback = (block: string) => block.startsWith('127.') || block === '0:0:0:0::/64'

// `::` means as many zeros as are missing; groups after the network are not read.
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const before = head.split(':').filter((group) => group !== '')
  if (tail === undefined) return before
  const after = tail.split(':').filter((group) => group !== '')
  const quad = after.at(-1)?.includes('.') === true ? 1 : 0
  const missing = GROUPS - before.length - after.length - quad
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after]
}
