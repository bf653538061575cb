import { readFileSync } from 'node:fs'
import { createClient } from 'redis'
import { addressesOf } from './several-hosts.ts'
import { timeLimit } from './time-limits.ts'

const CONNECT_MS = 2_000
const PING_INTERVAL_MS = 3_000
const SILENT_MS = 5_000

export type RedisClient = ReturnType<typeof clientOf>

/** Where Redis is, read again for each new connection, so that a changed address or password counts from then on. */
export type RedisPlace = {
  /** `redis://user:password@host:port`, of several nodes of a Redis Cluster separated by commas, or
   * `redis+sentinel://user:password@host:port,host:port/name-of-the-master?sentinel_password=…`.
   * `rediss` uses TLS; `?ssl_ca_certs=FILE` names the CA to trust. */
  url: () => string
}

/** What every connection has. It ends when Redis sends nothing for a time, not even the reply to a ping. Each caller
 * bounds its command by itself (`withinTime`), so the client library sets no timer for each command. */
export function connectionOptions(url: string) {
  const file = new URL(url).searchParams.get('ssl_ca_certs')
  const trusted = file === null ? {} : { ca: readFileSync(file) }
  const socket = { connectTimeout: timeLimit(CONNECT_MS), socketTimeout: timeLimit(SILENT_MS), ...trusted }
  const commandOptions = { timeout: 0 }
  return { disableOfflineQueue: true, pingInterval: PING_INTERVAL_MS, commandOptions, socket }
}

/** A client of one server that ends when its connection does. */
export function clientOf(url: string) {
  const { socket, ...options } = connectionOptions(url)
  const client = createClient({ ...options, url, socket: { ...socket, reconnectStrategy: false } })
  return client.on('error', ignore)
}

/** The address of the server to connect to now: the one named, or the master that the sentinels name. Of several nodes
 * of a cluster each attempt gets another one. */
export function locator({ url }: RedisPlace): () => Promise<string> {
  let attempt = 0
  return async () => {
    const addresses = addressesOf(url())
    const [address = ''] = addresses
    return isSentinel(address)
      ? await masterNamedBy(addresses)
      : (addresses[attempt++ % addresses.length] ?? address)
  }
}

export function isSentinel(url: string): boolean {
  return /^rediss?\+sentinel:/i.test(url)
}

async function masterNamedBy(sentinels: readonly string[]): Promise<string> {
  let failure: unknown
  for (const address of sentinels) {
    try {
      return await askSentinel(address)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

async function askSentinel(address: string): Promise<string> {
  const sentinel = new URL(address.replace('+sentinel', ''))
  const { username, password } = sentinel
  const name = decodeURIComponent(sentinel.pathname.slice(1))
  sentinel.username = ''
  sentinel.password = sentinel.searchParams.get('sentinel_password') ?? ''
  sentinel.pathname = ''
  const client = clientOf(sentinel.href)
  try {
    await client.connect()
    const reply = await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])
    if (!Array.isArray(reply)) throw new Error(`the sentinels know no master ${name}`)
    const [host, port] = reply.map(String)
    const account = username === '' && password === '' ? '' : `${username}:${password}@`
    return `${sentinel.protocol}//${account}${host?.includes(':') ? `[${host}]` : host}:${port}${sentinel.search}`
  } finally {
    client.destroy()
  }
}

// A caller gets the failure as the result of its call.
function ignore(): void {}
