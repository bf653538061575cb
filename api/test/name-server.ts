import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { PATIENCE_MS } from '../../plumbing/test/until.ts'

/** A name server on loopback that gives a host the next of its answers each time. */
export type NameServer = {
  /** The answers of a host, one after another; the last one repeats. Each is a list of addresses. */
  answer(host: string, ...answers: readonly string[][]): void
  /** Asks this server. */
  resolve(host: string): Promise<{ address: string; family: number }[]>
  /** How often a host was asked for since its answers were given. */
  asked(host: string): number
  close(): Promise<void>
}

const [A, AAAA] = [1, 28]

export async function startNameServer(): Promise<NameServer> {
  const answers = new Map<string, string[][]>()
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (message, { address, port }) => {
    const { host, type, end } = questionIn(message)
    const list = answers.get(host) ?? []
    // The resolver asks for both families at once; the answer moves on with the second question.
    const current = (list.length > 1 && type === AAAA ? list.shift() : list[0]) ?? []
    if (type === AAAA) asked.set(host, (asked.get(host) ?? 0) + 1)
    const records = current
      .filter((each) => each.includes(':') === (type === AAAA))
      .map((each) => record(type, each))
    const head = Buffer.from(message.subarray(0, end))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt16BE(0, 10)
    socket.send(Buffer.concat([head, ...records]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: PATIENCE_MS, tries: 1 })
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    answer(host, ...all) {
      answers.set(host, [...all])
      asked.delete(host)
    },
    async resolve(host) {
      const v4 = await resolver.resolve4(host).catch(() => [])
      const v6 = await resolver.resolve6(host).catch(() => [])
      return [
        ...v4.map((address) => ({ address, family: 4 })),
        ...v6.map((address) => ({ address, family: 6 })),
      ]
    },
    asked: (host) => asked.get(host) ?? 0,
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function questionIn(message: Buffer): { host: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { host: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function record(type: number, address: string): Buffer {
  const data = type === A ? Buffer.from(address.split('.').map(Number)) : bytesOfV6(address)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function bytesOfV6(address: string): Buffer {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail = ''] = text.split('::')
  const [before, after] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => '0')
  const groups = [...(before ?? []), ...zeros, ...(after ?? [])]
  return Buffer.concat(groups.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}
