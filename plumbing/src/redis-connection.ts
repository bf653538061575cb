import { createClient } from 'redis'

const CONNECT_MS = 2_000
const REPLY_MS = 3_000
const PING_INTERVAL_MS = 10_000
const RECONNECT_AT_MOST_MS = 1_000
const CLUSTER =
  'REDIS_URL: the server belongs to a Redis Cluster, which is not supported; use a Redis server without cluster mode'

type RedisClient = ReturnType<typeof newClient>

/** A connection that reconnects by itself. While it is down, a command fails at once instead of queueing. */
export type RedisConnection = {
  commands: RedisClient
  /** The reply to one command.
   * @throws what `unavailable` makes: no connection, or no reply in time (the command may still take effect) */
  reply<T>(command: (client: RedisClient) => Promise<T>): Promise<T>
  close(): void
}

/** The same with a second connection that listens to channels. */
export type ListeningRedisConnection = RedisConnection & { subscriber: RedisClient }

export type RedisOptions = {
  url: string
  /** Gets each lost connection, for the log. */
  onError: (error: Error) => void
  /** Makes the error that callers get. */
  unavailable: (cause: unknown) => Error
}

/** Connect once before returning, so that a wrong address stops the start.
 * @throws what `options.unavailable` makes; Error: the server belongs to a Redis Cluster */
export async function openRedis(options: RedisOptions): Promise<RedisConnection> {
  const [commands] = await connectAll([newClient(options.url)], options)
  return connectionOf(commands, [commands], options)
}

/** @throws as `openRedis` */
export async function openListeningRedis(options: RedisOptions): Promise<ListeningRedisConnection> {
  const pair = [newClient(options.url), newClient(options.url)] as const
  const [commands, subscriber] = await connectAll(pair, options)
  return { ...connectionOf(commands, pair, options), subscriber }
}

function newClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL_MS,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(20 * 2 ** retries, RECONNECT_AT_MOST_MS),
    },
  })
}

async function connectAll<T extends readonly [RedisClient, ...RedisClient[]]>(
  clients: T,
  { onError, unavailable }: RedisOptions,
): Promise<T> {
  let isConnected = false
  let refusal: Error | null = null
  // Before the first connection the caller gets the last error, once.
  const heard = (error: Error) => {
    refusal = error
    if (isConnected) onError(error)
  }
  for (const client of clients) client.on('error', heard)
  try {
    await Promise.all(clients.map(async (client) => await withinTime(client.connect())))
    isConnected = true
  } catch (cause) {
    destroyAll(clients)
    throw unavailable(refusal ?? cause)
  }
  if (!(await isCluster(clients[0]))) return clients
  destroyAll(clients)
  throw new Error(CLUSTER)
}

// A command here uses keys of several hash slots, which a cluster refuses. An account without the right to INFO gets
// the error of its first command instead.
async function isCluster(client: RedisClient): Promise<boolean> {
  const info = await withinTime(client.info('cluster')).catch(() => '')
  return info.includes('cluster_enabled:1')
}

function connectionOf(
  commands: RedisClient,
  clients: readonly RedisClient[],
  { unavailable }: RedisOptions,
): RedisConnection {
  return {
    commands,
    async reply(command) {
      try {
        return await withinTime(command(commands))
      } catch (cause) {
        throw unavailable(cause)
      }
    },
    close: () => destroyAll(clients),
  }
}

function destroyAll(clients: readonly RedisClient[]): void {
  for (const client of clients) if (client.isOpen) client.destroy()
}

function withinTime<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no reply within ${REPLY_MS} ms`)), REPLY_MS)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
