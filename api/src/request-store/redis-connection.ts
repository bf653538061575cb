import { createClient } from 'redis'
import { unavailable } from '../domain/errors.ts'

const CONNECT_MS = 2_000
const REPLY_MS = 3_000
const RECONNECT_AT_MOST_MS = 1_000

type RedisClient = ReturnType<typeof newClient>

/** One connection for commands and one that listens, both reconnecting by themselves. While they are away a command
 * fails at once instead of queueing, so that callers are told rather than kept. */
export type RedisConnection = {
  commands: RedisClient
  subscriber: RedisClient
  /** The reply to one command.
   * @throws DomainError unavailable: no connection, or no reply in time (the command may still take effect) */
  reply<T>(command: (client: RedisClient) => Promise<T>): Promise<T>
  close(): void
}

/** Connects once before it returns, so that a wrong address stops the start.
 * @param onError hears of every lost connection, for the log
 * @throws DomainError unavailable */
export async function openRedis(url: string, onError: (error: Error) => void): Promise<RedisConnection> {
  const commands = newClient(url)
  const subscriber = newClient(url)
  let isConnected = false
  // Until the first connection whoever starts this is told, once.
  for (const client of [commands, subscriber]) {
    client.on('error', (error: Error) => isConnected && onError(error))
  }
  const close = () => {
    for (const client of [commands, subscriber]) if (client.isOpen) client.destroy()
  }
  try {
    await Promise.all([withinTime(commands.connect()), withinTime(subscriber.connect())])
    isConnected = true
  } catch (cause) {
    close()
    throw unavailable('Redis', cause)
  }
  return { commands, subscriber, reply: (command) => replyOf(commands, command), close }
}

function newClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: 10_000,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(20 * 2 ** retries, RECONNECT_AT_MOST_MS),
    },
  })
}

async function replyOf<T>(client: RedisClient, command: (client: RedisClient) => Promise<T>): Promise<T> {
  try {
    return await withinTime(command(client))
  } catch (cause) {
    throw unavailable('Redis', cause)
  }
}

function withinTime<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no reply within ${REPLY_MS} ms`)), REPLY_MS)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
