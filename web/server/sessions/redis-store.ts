import { openRedis, type RedisConnection } from '@keyferry/plumbing/redis-connection'
import { unavailable } from '../http/refusal.ts'
import {
  isActive,
  isStale,
  type Session,
  type SessionFilter,
  type SessionStore,
  type SessionTimes,
  StoredSession,
  sessionEndMs,
  USUAL_TIMES,
} from './session-store.ts'

const PREFIX = 'keyferry:'
const sessionKey = (tokenHash: string) => `${PREFIX}session:${tokenHash}`
const personKey = (idpUserId: string) => `${PREFIX}sessions-of:${idpUserId}`
const providerKey = (providerSessionId: string) => `${PREFIX}sessions-at:${providerSessionId}`
const onceKey = (id: string) => `${PREFIX}use:${id}`

const DAY_MS = 24 * 60 * 60 * 1_000

const CREATE = `redis.call('hset', KEYS[1], 'session', ARGV[1], 'tenant', ARGV[2], 'seen', ARGV[3])
  return redis.call('pexpire', KEYS[1], ARGV[4])`

const LIST = `redis.call('sadd', KEYS[1], ARGV[1])
  return redis.call('pexpire', KEYS[1], ARGV[2])`

const PING = `return redis.call('set', KEYS[1], '', 'px', 1000)`

// If another node ends the session in between, do not restore parts of it.
const TOUCH = `if redis.call('exists', KEYS[1]) == 0 then return 0 end
  redis.call('hset', KEYS[1], 'seen', ARGV[1])
  return redis.call('pexpire', KEYS[1], ARGV[2])`

const CHOOSE_TENANT = `if redis.call('exists', KEYS[1]) == 0 then return 0 end
  return redis.call('hset', KEYS[1], 'tenant', ARGV[1])`

/** The session store for any number of nodes.
 * @param onError gets every lost connection, for the log */
export async function openRedisSessionStore(
  url: () => string,
  onError: (error: Error) => void,
  times = USUAL_TIMES,
): Promise<SessionStore> {
  return new RedisSessionStore(
    await openRedis({ url, onError, unavailable: (cause) => unavailable('Session store', cause) }),
    times,
  )
}

class RedisSessionStore implements SessionStore {
  readonly #redis: RedisConnection

  readonly #times: SessionTimes

  constructor(redis: RedisConnection, times: SessionTimes) {
    this.#redis = redis
    this.#times = times
  }

  // Each key can be on another node of a cluster. A session that is in no index yet has no cookie yet.
  async create(session: Session): Promise<void> {
    const { tokenHash, tenantId, lastSeenAtMs } = session
    const livesMs = sessionEndMs(session, this.#times) - lastSeenAtMs
    const values = [JSON.stringify(session), tenantId, lastSeenAtMs, livesMs]
    // No index expires before its sessions.
    const indexMs = this.#times.maxMs + DAY_MS
    await this.#run(CREATE, sessionKey(tokenHash), values)
    for (const index of indexesOf(session)) await this.#run(LIST, index, [tokenHash, indexMs])
  }

  async find(tokenHash: string, nowMs: number, renews = true): Promise<Session | null> {
    const session = await this.#read(tokenHash)
    if (!session || !isActive(session, nowMs, this.#times)) return null
    if (!renews || !isStale(session, nowMs)) return session
    const touched = { ...session, lastSeenAtMs: nowMs }
    const remainingMs = sessionEndMs(touched, this.#times) - nowMs
    await this.#run(TOUCH, sessionKey(tokenHash), [nowMs, remainingMs])
    return touched
  }

  async chooseTenant(tokenHash: string, tenantId: string): Promise<void> {
    await this.#run(CHOOSE_TENANT, sessionKey(tokenHash), [tenantId])
  }

  async remove(tokenHash: string): Promise<void> {
    await this.#redis.reply((client) => client.del(sessionKey(tokenHash)))
  }

  async removeAll(ending: SessionFilter): Promise<void> {
    const isOfProvider = 'providerSessionId' in ending
    const index = isOfProvider ? providerKey(ending.providerSessionId) : personKey(ending.idpUserId)
    const beforeMs = isOfProvider ? undefined : ending.beforeMs
    const sessions = await this.#members(index)
    const ended = sessions.filter(({ createdAtMs }) => beforeMs === undefined || createdAtMs < beforeMs)
    await Promise.all(ended.map(({ tokenHash }) => this.remove(tokenHash)))
  }

  async list(idpUserId: string, nowMs: number): Promise<Session[]> {
    const sessions = await this.#members(personKey(idpUserId))
    const living = sessions.filter((session) => isActive(session, nowMs, this.#times))
    return living.toSorted((a, b) => b.lastSeenAtMs - a.lastSeenAtMs || (a.tokenHash < b.tokenHash ? -1 : 1))
  }

  async firstUse(id: string, untilMs: number, nowMs: number): Promise<boolean> {
    const expiration = { type: 'PX', value: Math.max(1, untilMs - nowMs) } as const
    const options = { condition: 'NX', expiration } as const
    return (await this.#redis.reply((client) => client.set(onceKey(id), '1', options))) === 'OK'
  }

  async isUsed(id: string): Promise<boolean> {
    return (await this.#redis.reply((client) => client.exists(onceKey(id)))) === 1
  }

  async forgetUse(id: string): Promise<void> {
    await this.#redis.reply((client) => client.del(onceKey(id)))
  }

  async ping(): Promise<void> {
    await this.#run(PING, onceKey('ping'), [])
  }

  async close(): Promise<void> {
    this.#redis.close()
  }

  async #read(tokenHash: string): Promise<Session | null> {
    const fields = await this.#redis.reply((client) => client.hGetAll(sessionKey(tokenHash)))
    const { session, tenant, seen } = fields
    if (session === undefined || tenant === undefined || seen === undefined) return null
    return { ...StoredSession.parse(JSON.parse(session)), tenantId: tenant, lastSeenAtMs: Number(seen) }
  }

  /** The sessions of an index. Removes ended sessions from the index. */
  async #members(index: string): Promise<Session[]> {
    const hashes = await this.#redis.reply((client) => client.sMembers(index))
    const sessions = await Promise.all(hashes.map(async (hash) => await this.#read(hash)))
    const gone = hashes.filter((_, at) => sessions[at] === null)
    if (gone.length > 0) await this.#redis.reply((client) => client.sRem(index, gone))
    return sessions.filter((session) => session !== null)
  }

  async #run(script: string, key: string, values: (string | number)[]): Promise<void> {
    const options = { keys: [key], arguments: values.map(String) }
    await this.#redis.reply((client) => client.eval(script, options))
  }
}

function indexesOf({ idpUserId, providerSessionId }: Session): string[] {
  const person = personKey(idpUserId)
  return providerSessionId === null ? [person] : [person, providerKey(providerSessionId)]
}
