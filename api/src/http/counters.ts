/** How often a key was counted in its window, this time included, and how long the window still lasts. */
export type Counted = { calls: number; msLeft: number }

/** Counts one call. A key's window begins with the first call in it, and no later call moves its end. */
export type Counter = (key: string) => Promise<Counted>

/** A Redis that all nodes share. `reply` fails with DomainError unavailable when there is no answer. */
export type SharedRedis = {
  reply(command: (client: RedisEval) => Promise<unknown>): Promise<unknown>
}

type RedisEval = {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** KEYS[1] the counter, ARGV[1] its window in milliseconds. One step, so that no counter is left without an end. */
const COUNT = `
  redis.call('set', KEYS[1], 0, 'PX', ARGV[1], 'NX')
  return { redis.call('incr', KEYS[1]), redis.call('pttl', KEYS[1]) }`

export function redisCounter(redis: SharedRedis, prefix: string, windowMs: number): Counter {
  return async (key) => {
    const options = { keys: [prefix + key], arguments: [String(windowMs)] }
    const reply = await redis.reply((client) => client.eval(COUNT, options))
    const [calls, msLeft] = Array.isArray(reply) ? reply : []
    if (typeof calls !== 'number' || typeof msLeft !== 'number')
      throw new Error('unexpected reply to a count')
    return { calls, msLeft }
  }
}

type Window = { calls: number; endsAtMs: number }

/** For one process. Windows live in two generations that turn once in a window's time: by then all in the older one
 * have ended, so that forgetting them costs neither a timer each nor a walk. An end further away than a window is long
 * means that the clock was set back: it counts as over. */
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
  return async (key) => {
    if (!isAhead(turnsAtMs)) turn()
    const known = younger.get(key) ?? older.get(key)
    const window = known && isAhead(known.endsAtMs) ? known : { calls: 0, endsAtMs: now() + windowMs }
    window.calls += 1
    if (window !== known) younger.set(key, window)
    return { calls: window.calls, msLeft: window.endsAtMs - now() }
  }
}
