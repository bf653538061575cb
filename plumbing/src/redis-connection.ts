import { createCluster, ErrorReply } from 'redis'
import { NoReply, pauseMs, Reasons, RedisLink, withinTime } from './redis-link.ts'
import { connectionOptions, isSentinel, locator, type RedisClient, type RedisPlace } from './redis-place.ts'
import { addressesOf } from './several-hosts.ts'

const ASK_FOR_MASTERS_MS = 100
const NO_EVICTION = 'noeviction'
const NO_CLUSTER = 'REDIS_URL names several servers, and they are not a Redis Cluster'

/** What the programs use. Each command has the keys of one hash slot, so a cluster takes it too. */
export type RedisCommands = Pick<
  RedisClient,
  | 'del'
  | 'eval'
  | 'exists'
  | 'hGetAll'
  | 'hmGet'
  | 'ping'
  | 'publish'
  | 'sMembers'
  | 'sRem'
  | 'set'
  | 'zRangeByScore'
>

/** A connection that reconnects by itself. While it is down, a command fails at once instead of queueing. After a
 * command that got no reply in time, the others fail at once until the server replies to a ping. */
export type RedisConnection = {
  /** The reply to one command.
   * @throws what `unavailable` makes: no connection, or no reply in time (the command may still take effect) */
  reply<T>(command: (client: RedisCommands) => Promise<T>): Promise<T>
  /** What the operator should change. */
  warnings: readonly string[]
  close(): void
}

/** The same with a second connection that listens to channels. */
export type ListeningRedisConnection = RedisConnection & {
  /** @param missed called after a lost connection, when commands work again too: messages may be missing */
  subscribe(channel: string, listener: (text: string) => void, missed: () => void): Promise<void>
  unsubscribe(channel: string): Promise<void>
}

export type RedisOptions = RedisPlace & {
  /** Gets each lost connection, for the log. */
  onError: (error: Error) => void
  /** Makes the error that callers get. */
  unavailable: (cause: unknown) => Error
}

/** `client` is null while there is no connection. */
type Commands = { readonly client: RedisCommands | null; leave(): void; close(): void }

/** Connect once before returning, so that a wrong address stops the start.
 * @throws what `options.unavailable` makes; Error: several servers that are not a cluster */
export async function openRedis(options: RedisOptions): Promise<RedisConnection> {
  const { subscriber, ...connection } = await openBoth(options)
  subscriber.close()
  return connection
}

/** @throws as `openRedis` */
export async function openListeningRedis(options: RedisOptions): Promise<ListeningRedisConnection> {
  const { subscriber, onMissed, reply, warnings, close } = await openBoth(options)
  return {
    reply,
    warnings,
    subscribe: async (channel, listener, missed) => {
      onMissed.push(missed)
      await subscriber.subscribe(channel, listener)
    },
    unsubscribe: (channel) => subscriber.unsubscribe(channel),
    close: () => {
      subscriber.close()
      close()
    },
  }
}

async function openBoth(options: RedisOptions) {
  const onMissed: (() => void)[] = []
  const onReady = () => {
    // Who missed a message reads the store, which needs the other connection as well.
    if (subscriber.client && commands.client) for (const missed of onMissed) missed()
  }
  const subscriber = newLink(options, onReady)
  const { commands, warnings } = await opened(subscriber, options, onReady).catch((cause: unknown) => {
    subscriber.close()
    if (cause instanceof Error && cause.message === NO_CLUSTER) throw cause
    throw options.unavailable(cause)
  })
  return { subscriber, onMissed, warnings, reply: replies(commands, options), close: () => commands.close() }
}

function newLink(options: RedisOptions, onReady: () => void): RedisLink {
  return new RedisLink({ locate: locator(options), onError: options.onError, onReady })
}

async function opened(subscriber: RedisLink, options: RedisOptions, onReady: () => void) {
  await subscriber.open(addressesOf(options.url()).length)
  // It fails for an account without the right to INFO.
  const info = await withinTime(subscriber.client?.info() ?? Promise.resolve('')).catch(() => '')
  const policy = /^maxmemory_policy:(.*)$/m.exec(info)?.[1]?.trim() ?? NO_EVICTION
  const warnings = policy === NO_EVICTION ? [] : ['Redis may evict keys: set maxmemory-policy noeviction']
  return { warnings, commands: await openCommands(info, options, onReady) }
}

/** The subscriber can be on any node of a cluster, because they pass on what is published. */
async function openCommands(info: string, options: RedisOptions, onReady: () => void): Promise<Commands> {
  const isOne = addressesOf(options.url()).length === 1 || isSentinel(options.url())
  if (info.includes('cluster_enabled:1')) return await openCluster(options, onReady)
  if (isOne) return await newLink(options, onReady).open()
  if (info === '') return await openCluster(options, onReady)
  throw new Error(NO_CLUSTER)
}

async function openCluster({ url, onError }: RedisOptions, onReady: () => void): Promise<Commands> {
  const { socket, commandOptions, ...usual } = connectionOptions(addressesOf(url())[0] ?? '')
  const tls = url().startsWith('rediss') ? { tls: true as const } : {}
  const cluster = createCluster({
    rootNodes: addressesOf(url()).map((address) => ({ url: address })),
    commandOptions,
    defaults: { ...usual, ...account(url), socket: { ...socket, ...tls, reconnectStrategy: pauseMs } },
    topologyRefreshOnReconnectionAttemptStrategy: ASK_FOR_MASTERS_MS,
  })
  const errors = new Reasons(onError)
  const say = (error: Error) => errors.say(error)
  cluster.on('error', say).on('node-error', say)
  await withinTime(cluster.connect())
  cluster.on('node-ready', () => {
    errors.clear()
    onReady()
  })
  return { client: cluster, leave: () => {}, close: () => cluster.destroy() }
}

// Asked before each connection to a node.
function account(url: RedisPlace['url']) {
  const credentials = async () => {
    const { username, password } = new URL(addressesOf(url())[0] ?? '')
    return {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    }
  }
  return { credentialsProvider: { type: 'async-credentials-provider', credentials } as const }
}

function replies(commands: Commands, { unavailable }: RedisOptions): RedisConnection['reply'] {
  // Replies come in the order of the commands, so this one comes when the server has caught up.
  let ping: Promise<unknown> | null = null
  const awaitPing = () => {
    ping ??= (commands.client?.ping() ?? Promise.resolve())
      .catch(() => {}) // Without a connection, each command fails by itself.
      .finally(() => {
        ping = null
      })
  }
  return async (command) => {
    if (ping) throw unavailable(new NoReply('no reply to an earlier command'))
    if (!commands.client) throw unavailable(new Error('no connection'))
    try {
      return await withinTime(command(commands.client))
    } catch (cause) {
      if (cause instanceof NoReply) awaitPing()
      if (codeOf(cause) === 'READONLY') commands.leave()
      throw unavailable(withCode(cause))
    }
  }
}

// A refusal of the server begins with its code, such as NOPERM, OOM or READONLY. The log shows codes, not messages.
function withCode(cause: unknown): unknown {
  return cause instanceof ErrorReply ? Object.assign(cause, { code: codeOf(cause) }) : cause
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof ErrorReply ? cause.message.split(' ', 1)[0] : undefined
}
