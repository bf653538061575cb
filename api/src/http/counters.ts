/** `calls`: the calls of a key in its window, this one included. `msLeft`: until the window ends. */
export type CallCount = { calls: number; msLeft: number }

/** Counts one call, or takes one back (-1). A key's window begins with its first call; later calls do not extend it. */
export type Counter = (key: string, by?: 1 | -1) => Promise<CallCount>

/** A Redis that all nodes share. `reply` fails with DomainError unavailable when there is no answer. */
export type SharedRedis = {
  reply(command: (client: RedisEval) => Promise<unknown>): Promise<unknown>
}

type RedisEval = {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** KEYS[1] the counter, ARGV[1] its window in milliseconds, ARGV[2] what to add. One step, so that every counter
 * expires. */
const COUNT = `
  redis.call('set', KEYS[1], 0, 'PX', ARGV[1], 'NX')
  return { redis.call('incrby', KEYS[1], ARGV[2]), redis.call('pttl', KEYS[1]) }`

export function redisCounter(redis: SharedRedis, prefix: string, windowMs: number): Counter {
  return async (key, by = 1) => {
    const options = { keys: [prefix + key], arguments: [String(windowMs), String(by)] }
    const reply = await redis.reply((client) => client.eval(COUNT, options))
    const [calls, msLeft] = Array.isArray(reply) ? reply : []
    if (typeof calls !== 'number' || typeof msLeft !== 'number')
      throw new Error('unexpected reply to a count')
    return { calls, msLeft }
  }
}

type Window = { calls: number; endsAtMs: number }

/** For one process. Windows are kept in two maps. Once per window length the older map is dropped: all its windows have
 * ended by then, so no timer and no scan is needed. A window that would end later than one length from now means that
 * the clock was set back, so it counts as over. */
export function memoryCounter(windowMs: number, now: () => number): Counter {
  const isAhead = (endMs: number) => endMs > now() && endMs - now() <= windowMs
  let younger = new Map<string, Window>()
  let older = new Map<string, Window>()
  let turnsAtMs = now() + windowMs
  const turn = () => {
    older = now() - turnsAtMs < windowMs ? younger : new Map()
    younger = new Map()
    turnsAtMs = now() + windowMs
  }
  return async (key, by = 1) => {
    if (!isAhead(turnsAtMs)) turn()
    const known = younger.get(key) ?? older.get(key)
    const window = known && isAhead(known.endsAtMs) ? known : { calls: 0, endsAtMs: now() + windowMs }
    window.calls += by
    if (window !== known) younger.set(key, window)
    return { calls: window.calls, msLeft: window.endsAtMs - now() }
  }
}
