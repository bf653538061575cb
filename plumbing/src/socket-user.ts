import { readFile } from 'node:fs/promises'
import { isIPv4, type Socket } from 'node:net'
import { endianness } from 'node:os'

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const
const MAPPED = '0000000000000000FFFF0000'
const LOOPBACK_V6 = '00000000000000000000000001000000'
const ANY_V4 = '0'.repeat(8)
const ANY_V6 = '0'.repeat(32)

/** Whether the user behind a local connection can be looked up on this system. */
export function canLookUpUsers(platform: NodeJS.Platform): boolean {
  return platform === 'linux' && endianness() === 'LE'
}

/** The user id of the process at the other end of a loopback connection, as the kernel has it.
 * @returns null when the kernel shows no open socket there */
export async function peerUser(socket: Socket): Promise<number | null> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  if (remotePort === undefined || localPort === undefined) return null
  const near = endsOf(remoteAddress, remotePort)
  const far = endsOf(localAddress, localPort)
  return userIn(await readTables(), near, far)
}

/** The user id of the process that serves a loopback connection opened here: the one that accepted it, before that the
 * one that listens. On a port that root opened it is root, who chose which process accepts there.
 * @returns null when the kernel shows neither: the connection is closed, or root redirects it */
export async function servingUser(socket: Socket): Promise<number | null> {
  const { remoteAddress, remotePort, localAddress, localPort } = socket
  if (remotePort === undefined || localPort === undefined) return null
  const tables = await readTables()
  const near = endsOf(remoteAddress, remotePort)
  // The kernel prefers the listener of the exact address, then IPv4.
  const anyEnds = (isIPv4(remoteAddress ?? '') ? [ANY_V4, ANY_V6] : [ANY_V6]).map((any) =>
    endOf(any, remotePort),
  )
  const listener = userIn(tables, [...near, ...anyEnds], [endOf(ANY_V4, 0), endOf(ANY_V6, 0)])
  if (listener === 0) return listener
  return userIn(tables, near, endsOf(localAddress, localPort)) ?? listener
}

// A read lists every socket of the machine, so callers that come while one is under way share the next one.
let nextRead: Promise<string> | null = null
let lastRead: Promise<unknown> = Promise.resolve()

function readTables(): Promise<string> {
  nextRead ??= lastRead.then(() => {
    nextRead = null
    const read = Promise.all(TABLES.map((table) => readFile(table, 'latin1').catch(() => '')))
    lastRead = read
    return read.then((tables) => tables.join(''))
  })
  return nextRead
}

// The columns: slot, its address, the other address, state, queues, timer, retransmits, user, timeout, inode.
function userIn(table: string, near: readonly string[], far: readonly string[]): number | null {
  for (const end of near) {
    for (let at = table.indexOf(`: ${end} `); at >= 0; at = table.indexOf(`: ${end} `, at + 1)) {
      const columns = table
        .slice(at + 2, table.indexOf('\n', at))
        .trim()
        .split(/\s+/)
      // A socket that no process has open has the inode 0, and then the kernel shows root as its user.
      const isOpen = columns[8] !== '0'
      if (isOpen && far.includes(columns[1] ?? '')) return Number(columns[6])
    }
  }
  return null
}

/** An address and port as the tables write them: IPv4 by itself, and as the tail of an IPv6 address. */
function endsOf(address: string | undefined, port: number): string[] {
  if (address === '::1') return [endOf(LOOPBACK_V6, port)]
  const v4 = (address ?? '').replace(/^::ffff:/i, '')
  if (!isIPv4(v4)) return []
  const word = Buffer.from(v4.split('.').map(Number).toReversed()).toString('hex').toUpperCase()
  return [endOf(word, port), endOf(MAPPED + word, port)]
}

function endOf(word: string, port: number): string {
  return `${word}:${port.toString(16).toUpperCase().padStart(4, '0')}`
}
