import { BlockList, isIP, isIPv6 } from 'node:net'

/*
 * Which addresses the server may call. Everything that is not the public internet is refused: loopback, private and
 * link-local networks, shared and reserved ranges, multicast. An IPv6 address that carries an IPv4 address is judged
 * by that one; tunnels whose inner address cannot be read reliably are refused. An operator may allow other networks.
 */

const REFUSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** All but 2000::/3 and the addresses that carry an IPv4 address: this host, IPv4-compatible and IPv4-translated
 * addresses, local NAT64, private, link-local and reserved ones; and of 2000::/3 Teredo and 6to4. */
const REFUSED_V6 = [
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b:1::/48',
  '100::/8',
  '200::/7',
  '400::/6',
  '800::/5',
  '1000::/4',
  '4000::/2',
  '8000::/1',
  '2001::/32',
  '2002::/16',
]

/** Prefixes after which the last 32 bits are an IPv4 address: mapped, and the well-known NAT64. */
const CARRIES_V4 = listOf(['::ffff:0:0/96', '64:ff9b::/96'])

const METADATA_V4 = [
  '169.254.0.23',
  '169.254.42.42',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
]

/** Cloud metadata services, which give out the server's credentials. No setting allows them, also inside IPv6. */
const METADATA = listOf([
  ...METADATA_V4.flatMap((v4) => [v4, `::${v4}`, `::ffff:0:${v4}`, `64:ff9b:1::${v4}`, sixToFour(v4)]),
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
  'fd00:ec2::23',
  'fd00:ec2::254',
  'fd20:ce::254',
])

function sixToFour(v4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number)
  return `2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::/48`
}

const REFUSED = listOf([...REFUSED_V4, ...REFUSED_V6])

/** @param networks such as 10.0.0.0/8 or 10.0.0.5 */
export function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const isV6 = isIPv6(address)
    list.addSubnet(address, Number(bits ?? (isV6 ? 128 : 32)), isV6 ? 'ipv6' : 'ipv4')
  }
  return list
}

export function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** The address that counts: the IPv4 address that an IPv6 address carries, or the address itself. */
export function innerAddress(address: string): string {
  if (!isIPv6(address) || !isIn(CARRIES_V4, address)) return address
  const [high = 0, low = 0] = groupsOf(address).slice(-2)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Whether the server may call an address. */
export function isCallable(address: string, ownNetworks: BlockList): boolean {
  if (isIP(address) === 0) return false
  const inner = innerAddress(address)
  if (isIn(METADATA, inner)) return false
  return isIn(ownNetworks, inner) || !isIn(REFUSED, inner)
}

// The URL standard writes an IPv6 address in groups only, without a dotted end.
function groupsOf(address: string): number[] {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = text.split('::')
  if (tail === undefined) return numbersIn(head)
  const [before, after] = [numbersIn(head), numbersIn(tail)]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

function numbersIn(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
}
