import type { Watchable } from '../domain/requests/waiting-room.ts'
import { Listeners } from './listeners.ts'
import type { NoticeRedis } from './redis-connection.ts'

/** Changes of one tenant within this time make one notice. */
const COLLECTED_MS = 200

export type ChangeNotices = Watchable & {
  /** Call the listeners of these tenants soon, on all nodes. */
  notify(tenantIds: Iterable<string>): void
}

type ChangeNoticeOptions = {
  /** Null: there is no other node. */
  redis: NoticeRedis | null
  prefix?: string
}

/** Tells who waits for changed values that a tenant's bundles may deliver others now. With Redis, on one channel that
 * every node listens to. A notice can be lost, so a listener compares by itself before and after each wait. */
export async function openChangeNotices({
  redis,
  prefix = 'keyferry:',
}: ChangeNoticeOptions): Promise<ChangeNotices> {
  const listeners = new Listeners()
  const channel = `${prefix}changes`
  if (redis) {
    const onMessage = (tenantIds: string) => callEach(listeners, tenantIds.split(' '))
    await redis.subscribe(channel, onMessage, () => listeners.callAll())
  }
  const collected = new Set<string>()
  const send = () => {
    const tenantIds = [...collected]
    collected.clear()
    callEach(listeners, tenantIds)
    redis?.reply((client) => client.publish(channel, tenantIds.join(' '))).catch(missed)
  }
  return {
    watch: (tenantId, listener) => listeners.watch(tenantId, listener),
    notify(tenantIds) {
      if (collected.size === 0) setTimeout(send, COLLECTED_MS).unref()
      for (const tenantId of tenantIds) collected.add(tenantId)
    },
  }
}

function callEach(listeners: Listeners, tenantIds: readonly string[]): void {
  for (const tenantId of tenantIds) listeners.call(tenantId)
}

// The waiters of other nodes compare again when their call ends.
function missed(): void {}
