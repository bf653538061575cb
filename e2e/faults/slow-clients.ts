import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TimedAnswer, timedAnswer } from './timed-answers.ts'

export type SlowClientsOptions = {
  /** Connections that say nothing. */
  readonly idle: number
  /** Connections whose headers, and as many whose bodies, come a byte at a time. */
  readonly dripping: number
  /** How many calls of other callers to time. */
  readonly calls: number
}

export type SlowClientsResult = {
  readonly answers: readonly TimedAnswer[]
  readonly p99Ms: number
  /** Open connections after the last call was answered. */
  readonly stillOpen: number
}

/** Fewer than a listening socket queues: past that the system tries again a second later. */
const OPENED_AT_ONCE = 250
const CONNECT_MS = 10_000
const DRIP_MS = 500
const CALLERS = 4

/** Open many slow connections to an address and time the calls of other callers. */
export async function besetBySlowClients(
  address: string,
  { idle, dripping, calls }: SlowClientsOptions,
): Promise<SlowClientsResult> {
  const sockets = await openSockets(address, idle)
  const drips = [
    ...(await openSockets(address, dripping, HEAD)),
    ...(await openSockets(address, dripping, BODY)),
  ]
  const dripper = setInterval(() => {
    for (const socket of drips) if (socket.writable) socket.write('a')
  }, DRIP_MS)
  const answers = (
    await Promise.all(Array.from({ length: CALLERS }, () => timedCalls(address, calls / CALLERS)))
  ).flat()
  clearInterval(dripper)
  const all = [...sockets, ...drips]
  const stillOpen = all.filter((socket) => socket.readyState === 'open').length
  for (const socket of all) socket.destroy()
  const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return { answers, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0, stillOpen }
}

const HEAD = 'GET /api/v1/keys HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '
const BODY =
  'POST /api/v1/keys HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n'

async function openSockets(address: string, count: number, greeting = ''): Promise<Socket[]> {
  const { hostname, port } = new URL(address)
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const size = Math.min(OPENED_AT_ONCE, count - sockets.length)
    const batch = Array.from({ length: size }, () => connect(Number(port), hostname).on('error', ignore))
    await Promise.all(
      batch.map((socket) => once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) })),
    )
    for (const socket of batch) socket.write(greeting)
    sockets.push(...batch)
  }
  return sockets
}

function ignore(): void {
  // A server that ends a slow connection is right to.
}

async function timedCalls(address: string, calls: number): Promise<TimedAnswer[]> {
  const answers: TimedAnswer[] = []
  for (let count = 0; count < calls; count++) answers.push(await timedAnswer(`${address}/api/v1/keys`))
  return answers
}
