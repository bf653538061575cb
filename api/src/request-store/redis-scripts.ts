/**
 * Each script is one step on one request. KEYS[1] is its hash (request, state, ciphertext, approval, tenant_id,
 * wrong_codes, expires_at_ms); ARGV[1] the caller's clock in epoch milliseconds, ARGV[2] the channel, ARGV[3] the id.
 * `state` is nil for a request that is unknown or expired by the caller's clock; Redis expires the key by its own clock.
 */
const LIVE = `
  local found = redis.call('hmget', KEYS[1], 'state', 'expires_at_ms')
  local state = found[1]
  if state and tonumber(found[2]) <= tonumber(ARGV[1]) then state = nil end
  local function become(next)
    redis.call('hset', KEYS[1], 'state', next)
    redis.call('publish', ARGV[2], ARGV[3])
  end`

const SETTLED = `
  if state == 'claimed' then return 'ready' end
  return state or 'gone'`

/** ARGV[4] request, ARGV[5] expires_at_ms, ARGV[6] how many may live, ARGV[7] for how many milliseconds after its lifetime
 * the id is remembered; KEYS[2] the live ids by expiry, KEYS[3] the key that remembers the id. The lifetime is passed as a
 * length, so that Redis's clock may differ. @returns 'done' or 'full' */
export const CREATE = `
  redis.call('zremrangebyscore', KEYS[2], '-inf', ARGV[1])
  if redis.call('zcard', KEYS[2]) >= tonumber(ARGV[6]) then return 'full' end
  redis.call('zadd', KEYS[2], ARGV[5], ARGV[3])
  redis.call('pexpire', KEYS[2], math.max(ARGV[5] - ARGV[1], redis.call('pttl', KEYS[2])))
  redis.call('hset', KEYS[1], 'state', 'pending', 'request', ARGV[4], 'expires_at_ms', ARGV[5])
  redis.call('pexpire', KEYS[1], ARGV[5] - ARGV[1])
  redis.call('set', KEYS[3], '', 'px', ARGV[5] - ARGV[1] + ARGV[7])
  return 'done'`

/** @returns [state, request], or [] */
export const FIND = `${LIVE}
  if not state then return {} end
  return { state, redis.call('hget', KEYS[1], 'request') }`

/** KEYS[3] the key that remembers the id. @returns 1 when the request was made and its lifetime has ended, else 0 */
export const HAS_EXPIRED = `${LIVE}
  if state then return 0 end
  return redis.call('exists', KEYS[3])`

/** ARGV[4] ciphertext, ARGV[5] the approval as JSON, ARGV[6] its tenant; both empty without an approver. KEYS[2], with an
 * approver: the index of what that user approved. @returns a Settled */
export const SEAL = `${LIVE}
  if state == 'pending' then
    redis.call('hset', KEYS[1], 'ciphertext', ARGV[4], 'approval', ARGV[5], 'tenant_id', ARGV[6])
    if KEYS[2] then
      redis.call('sadd', KEYS[2], ARGV[3])
      redis.call('pexpire', KEYS[2], math.max(redis.call('pttl', KEYS[1]), redis.call('pttl', KEYS[2])))
    end
    become('ready')
    return 'done'
  end${SETTLED}`

/** @returns a Settled */
export const DENY = `${LIVE}
  if state == 'pending' then
    become('denied')
    return 'done'
  end${SETTLED}`

/** @returns a Settled */
export const WITHDRAW = `${LIVE}
  if state == 'pending' or state == 'ready' or state == 'claimed' then
    redis.call('hdel', KEYS[1], 'ciphertext', 'approval', 'tenant_id')
    become('withdrawn')
    return 'done'
  end${SETTLED}`

/** ARGV[4] the count that denies. @returns attempts left */
export const COUNT_WRONG_CODE = `${LIVE}
  if state ~= 'pending' then return 0 end
  local left = ARGV[4] - redis.call('hincrby', KEYS[1], 'wrong_codes', 1)
  if left <= 0 then become('denied') end
  return left`

/** @returns [status], with the ciphertext and the approval after 'claimed' */
export const CLAIM = `${LIVE}
  if state == 'ready' then
    redis.call('hset', KEYS[1], 'state', 'claimed')
    return { 'claimed', redis.call('hget', KEYS[1], 'ciphertext'), redis.call('hget', KEYS[1], 'approval') }
  end
  if state == 'claimed' then return { 'taken' } end
  return { state or 'gone' }`

export const RELEASE = `${LIVE}
  if state == 'claimed' then become('ready') end
  return 'done'`

/** KEYS[2] the live ids, KEYS[3] the key that remembers the id. ARGV[4] removes only what was approved in that tenant; empty means any. */
export const REMOVE_READY = `${LIVE}
  if state ~= 'ready' then return 'gone' end
  if ARGV[4] ~= '' and redis.call('hget', KEYS[1], 'tenant_id') ~= ARGV[4] then return 'ready' end
  redis.call('del', KEYS[1], KEYS[3])
  redis.call('zrem', KEYS[2], ARGV[3])
  redis.call('publish', ARGV[2], ARGV[3])
  return 'done'`

/** KEYS[2] the live ids, KEYS[3] the key that remembers the id. */
export const REMOVE = `
  redis.call('del', KEYS[1], KEYS[3])
  redis.call('zrem', KEYS[2], ARGV[3])
  redis.call('publish', ARGV[2], ARGV[3])
  return 'done'`
