import type { Server } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'

export type ConnectionBound = {
  /** Connections that one address may hold at the same time. */
  perAddress: number
  /** Addresses or networks without a bound: proxies, which hold the connections of many people. */
  except: readonly string[]
}

/** Close a new connection at once when its address holds as many as it may. */
export function boundConnections(server: Server, { perAddress, except }: ConnectionBound): void {
  const held = new Map<string, number>()
  const exempt = blockListOf(except)
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // A Unix socket has no address.
    if (remoteAddress === undefined || isListed(exempt, remoteAddress)) return
    const count = held.get(remoteAddress) ?? 0
    if (count >= perAddress) {
      socket.destroy()
      return
    }
    held.set(remoteAddress, count + 1)
    socket.once('close', () => {
      const left = (held.get(remoteAddress) ?? 1) - 1
      if (left === 0) held.delete(remoteAddress)
      else held.set(remoteAddress, left)
    })
  })
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

function isListed(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
