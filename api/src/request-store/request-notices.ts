import type { Watchable } from '../domain/requests/waiting-room.ts'
import { Listeners } from './listeners.ts'
import type { NoticeRedis } from './redis-connection.ts'

export type RequestNotices = Watchable & {
  /** Wake who waits for this request, on all nodes. */
  notify(id: string): void
  /** Send what is left, and listen no more. */
  close(): Promise<void>
}

type RequestNoticeOptions = {
  /** Null: there is no other node. */
  redis: NoticeRedis | null
  prefix?: string
}

/** Tells who waits for a request that it changed. With Redis, on one channel that every node listens to; the changes of
 * one turn are one message. A notice can be lost: then the waiter reads the request when its call ends. After a lost
 * connection every listener is called, because it may have missed one. */
export async function openRequestNotices({
  redis,
  prefix = 'keyferry:',
}: RequestNoticeOptions): Promise<RequestNotices> {
  const listeners = new Listeners()
  const callEach = (ids: readonly string[]) => {
    for (const id of ids) listeners.call(id)
  }
  const watch = (id: string, listener: () => void) => listeners.watch(id, listener)
  if (redis === null) return { watch, notify: (id) => listeners.call(id), close: async () => {} }
  const channel = `${prefix}requests`
  await redis.subscribe(
    channel,
    (ids) => callEach(ids.split(' ')),
    () => listeners.callAll(),
  )
  const collected = new Set<string>()
  let sent: Promise<unknown> = Promise.resolve()
  const send = () => {
    const ids = [...collected]
    collected.clear()
    if (ids.length === 0) return
    // This node's own waiters need no Redis.
    sent = redis.reply((client) => client.publish(channel, ids.join(' '))).catch(() => callEach(ids))
  }
  return {
    watch,
    notify(id) {
      if (collected.size === 0) setImmediate(send)
      collected.add(id)
    },
    async close() {
      send()
      await sent
      await redis.unsubscribe(channel)
    },
  }
}

/** Whether Redis takes what a server needs of it: a script that writes and publishes.
 * @throws DomainError unavailable */
export async function pingRedis(redis: NoticeRedis): Promise<void> {
  const options = { keys: ['keyferry:ping'], arguments: ['keyferry:ping'] }
  await redis.reply((client) => client.eval(PING, options))
}

const PING = `redis.call('set', KEYS[1], '', 'px', 1000)
  return redis.call('publish', ARGV[1], '')`
