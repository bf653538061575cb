import { APPLY_MS } from '../domain/request-store.ts'

/**
 * Each script is one step on one request. KEYS[1] is its hash (request, state, ciphertext, approval, approver_id, tenant_id,
 * first, first_approver_id, box, deposit, applied, release_hash, release_by, release_until_ms, release_wrong, release_codes, returned, wrong_codes,
 * why_denied, expires_at_ms; a field that is absent or empty is nil); ARGV[1] the caller's clock in epoch milliseconds, ARGV[2] the channel, ARGV[3] the id.
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
  if state == 'claimed' or state == 'applying' then return 'ready' end
  return state or 'gone'`

/** Forgets the box of a deposit. KEYS[4] the bytes of each box, and of all in `total`. */
const FORGET_BOX = `
  local function forget_box(id)
    local bytes = redis.call('hget', KEYS[4], id)
    if not bytes then return end
    redis.call('hdel', KEYS[4], id)
    redis.call('hincrby', KEYS[4], 'total', -bytes)
    redis.call('hdel', KEYS[1], 'box')
  end`

/** ARGV[4] request, ARGV[5] expires_at_ms, ARGV[6] how many may be live, ARGV[7] for how many milliseconds after its lifetime
 * the id is remembered, ARGV[8] the box of a deposit or nothing, ARGV[9] how many bytes all boxes may take; KEYS[2] the live
 * ids by expiry, KEYS[3] the key that remembers the id, KEYS[4] the bytes of each box, and of all in `total`, KEYS[5],
 * for a terminal whose requests can be approved together, the index of its ids by expiry. The lifetime is passed as a
 * length, so that Redis's clock may differ. @returns 'done' or 'full' */
export const CREATE = `${FORGET_BOX}
  for _, id in ipairs(redis.call('zrangebyscore', KEYS[2], '-inf', ARGV[1])) do forget_box(id) end
  redis.call('zremrangebyscore', KEYS[2], '-inf', ARGV[1])
  if redis.call('zcard', KEYS[2]) >= tonumber(ARGV[6]) then return 'full' end
  local bytes = #ARGV[8]
  if bytes > 0 then
    if bytes + tonumber(redis.call('hget', KEYS[4], 'total') or 0) > tonumber(ARGV[9]) then return 'full' end
    redis.call('hset', KEYS[1], 'box', ARGV[8])
    redis.call('hset', KEYS[4], ARGV[3], bytes)
    redis.call('hincrby', KEYS[4], 'total', bytes)
    redis.call('pexpire', KEYS[4], math.max(ARGV[5] - ARGV[1], redis.call('pttl', KEYS[4])))
  end
  redis.call('zadd', KEYS[2], ARGV[5], ARGV[3])
  redis.call('pexpire', KEYS[2], math.max(ARGV[5] - ARGV[1], redis.call('pttl', KEYS[2])))
  redis.call('hset', KEYS[1], 'state', 'pending', 'request', ARGV[4], 'expires_at_ms', ARGV[5])
  redis.call('pexpire', KEYS[1], ARGV[5] - ARGV[1])
  redis.call('set', KEYS[3], '', 'px', ARGV[5] - ARGV[1] + ARGV[7])
  if KEYS[5] then
    redis.call('zremrangebyscore', KEYS[5], '-inf', ARGV[1])
    redis.call('zadd', KEYS[5], ARGV[5], ARGV[3])
    redis.call('pexpire', KEYS[5], math.max(ARGV[5] - ARGV[1], redis.call('pttl', KEYS[5])))
  end
  return 'done'`

/** @returns [state, request, approval, approver_id, first, release_by, release_until_ms, returned, deposit, why_denied], or [] */
export const FIND = `${LIVE}
  if not state then return {} end
  return redis.call('hmget', KEYS[1], 'state', 'request', 'approval', 'approver_id', 'first', 'release_by',
    'release_until_ms', 'returned', 'deposit', 'why_denied')`

/** @returns the box, or nil */
export const BOX = `${LIVE}
  if not state then return nil end
  return redis.call('hget', KEYS[1], 'box')`

/** ARGV[4] the next state; then pairs of fields and values that the approval sets. @returns a Settled */
export const APPROVE_DEPOSIT = `${LIVE}
  if state == 'pending' and redis.call('hexists', KEYS[1], 'box') == 1 then
    redis.call('hset', KEYS[1], 'release_wrong', 0, 'release_codes', 0, unpack(ARGV, 5))
    become(ARGV[4])
    return 'done'
  end
  if state == 'pending' then return 'changed' end${SETTLED}`

/** ARGV[4] the deposit's id, ARGV[5] what was stored; empty: nothing. @returns 1 when the deposit was applying, else 0 */
export const SETTLE_DEPOSIT = `${LIVE}${FORGET_BOX}
  if state ~= 'applying' then return 0 end
  if cjson.decode(redis.call('hget', KEYS[1], 'deposit')).id ~= ARGV[4] then return 0 end
  redis.call('hdel', KEYS[1], 'approver_id', 'returned', 'release_by', 'release_until_ms')
  if ARGV[5] == '' then
    redis.call('hdel', KEYS[1], 'deposit')
    become('pending')
    return 1
  end
  redis.call('hset', KEYS[1], 'applied', ARGV[5])
  forget_box(ARGV[3])
  become('ready')
  return 1`

/** KEYS[3] the key that remembers the id. @returns 1 when the request was made and its lifetime has ended, else 0 */
export const HAS_EXPIRED = `${LIVE}
  if state then return 0 end
  return redis.call('exists', KEYS[3])`

/** ARGV[4] who is expected to have approved first, empty if no one did; ARGV[5] the next state; then pairs of fields and values
 * that the approval sets, empty for none. KEYS[2], with an approver: the index of what that user approved. @returns a Settled */
export const APPROVE = `${LIVE}
  if state == 'pending' then
    local first = redis.call('hget', KEYS[1], 'first_approver_id') or ''
    if first ~= ARGV[4] then return 'changed' end
    redis.call('hset', KEYS[1], 'release_wrong', 0, 'release_codes', 0, unpack(ARGV, 6))
    if KEYS[2] then
      redis.call('sadd', KEYS[2], ARGV[3])
      redis.call('pexpire', KEYS[2], math.max(redis.call('pttl', KEYS[1]), redis.call('pttl', KEYS[2])))
    end
    become(ARGV[5])
    return 'done'
  end${SETTLED}`

/** ARGV[4] the hash, ARGV[5] the count of wrong codes that denies. @returns [status], with the attempts left after 'wrong' */
export const RELEASE = `${LIVE}${FORGET_BOX}
  if not state then return { 'gone' } end
  if state == 'denied' or state == 'withdrawn' then return { state } end
  if state ~= 'held' then return { 'not_held' } end
  local held = redis.call('hmget', KEYS[1], 'release_until_ms', 'release_hash', 'release_by', 'ciphertext', 'deposit')
  if tonumber(held[1]) <= tonumber(ARGV[1]) then return { 'late' } end
  if held[2] == ARGV[4] then
    redis.call('hset', KEYS[1], 'returned', held[3], 'release_hash', '')
    if held[5] then
      redis.call('hset', KEYS[1], 'release_until_ms', ARGV[1] + ${APPLY_MS})
      become('applying')
    else
      become((held[4] or '') == '' and 'pending' or 'ready')
    end
    return { 'released' }
  end
  if held[3] ~= 'code' then return { 'wrong', tonumber(ARGV[5]) } end
  local left = ARGV[5] - redis.call('hincrby', KEYS[1], 'release_wrong', 1)
  if left <= 0 then
    redis.call('hset', KEYS[1], 'ciphertext', '')
    forget_box(ARGV[3])
    become('denied')
  end
  return { 'wrong', left }`

/** ARGV[4] the approver, ARGV[5] how many codes one request may get, ARGV[6] the hash, ARGV[7] until when, ARGV[8] the
 * approval. @returns 1 when the code was renewed, else 0 */
export const RENEW_CODE = `${LIVE}
  if state ~= 'held' or redis.call('hget', KEYS[1], 'approver_id') ~= ARGV[4] then return 0 end
  if tonumber(redis.call('hget', KEYS[1], 'release_codes')) >= tonumber(ARGV[5]) then return 0 end
  redis.call('hincrby', KEYS[1], 'release_codes', 1)
  redis.call('hset', KEYS[1], 'release_by', 'code', 'release_hash', ARGV[6], 'release_until_ms', ARGV[7],
    'approval', ARGV[8], 'release_wrong', 0)
  become('held')
  return 1`

/** ARGV[4] why no one can approve, or nothing. @returns a Settled */
export const DENY = `${LIVE}${FORGET_BOX}
  if state == 'pending' or state == 'held' then
    redis.call('hset', KEYS[1], 'ciphertext', '', 'why_denied', ARGV[4])
    forget_box(ARGV[3])
    become('denied')
    return 'done'
  end${SETTLED}`

/** @returns a Settled */
export const WITHDRAW = `${LIVE}${FORGET_BOX}
  local is_delivery = redis.call('hexists', KEYS[1], 'deposit') == 0
  if state == 'pending' or state == 'held' or (is_delivery and (state == 'ready' or state == 'claimed')) then
    redis.call('hset', KEYS[1], 'ciphertext', '')
    forget_box(ARGV[3])
    become('withdrawn')
    return 'done'
  end${SETTLED}`

/** ARGV[4] the count that denies. @returns attempts left */
export const COUNT_WRONG_CODE = `${LIVE}${FORGET_BOX}
  if state ~= 'pending' then return 0 end
  local left = ARGV[4] - redis.call('hincrby', KEYS[1], 'wrong_codes', 1)
  if left <= 0 then
    forget_box(ARGV[3])
    become('denied')
  end
  return left`

/** @returns [status], with the ciphertext, the approval and what a deposit stored after 'claimed' */
export const CLAIM = `${LIVE}
  if state == 'ready' then
    redis.call('hset', KEYS[1], 'state', 'claimed')
    local found = redis.call('hmget', KEYS[1], 'ciphertext', 'approval', 'applied')
    return { 'claimed', found[1] or '', found[2] or '', found[3] or '' }
  end
  if state == 'claimed' or state == 'applying' then return { 'taken' } end
  return { state or 'gone' }`

export const UNCLAIM = `${LIVE}
  if state == 'claimed' then become('ready') end
  return 'done'`

/** KEYS[2] the live ids, KEYS[3] the key that remembers the id. ARGV[4] the tenant whose approvals are removed; empty means
 * any. ARGV[5] the approver. A first approval is taken back, so that the request waits for two again. */
export const REMOVE_APPROVED = `${LIVE}
  if state ~= 'pending' and state ~= 'held' and state ~= 'ready' then return 'gone' end
  local by = redis.call('hmget', KEYS[1], 'tenant_id', 'approver_id', 'first_approver_id', 'ciphertext')
  if ARGV[4] ~= '' and by[1] ~= ARGV[4] then return state end
  if by[2] ~= ARGV[5] and by[3] ~= ARGV[5] then return state end
  if (by[4] or '') == '' then
    if by[3] ~= ARGV[5] then return state end
    redis.call('hdel', KEYS[1], 'first', 'first_approver_id', 'approver_id', 'tenant_id', 'release_hash', 'returned')
    become('pending')
    return 'done'
  end
  redis.call('del', KEYS[1], KEYS[3])
  redis.call('zrem', KEYS[2], ARGV[3])
  redis.call('publish', ARGV[2], ARGV[3])
  return 'done'`

/** KEYS[2] the live ids, KEYS[3] the key that remembers the id. */
export const REMOVE = `${FORGET_BOX}
  forget_box(ARGV[3])
  redis.call('del', KEYS[1], KEYS[3])
  redis.call('zrem', KEYS[2], ARGV[3])
  redis.call('publish', ARGV[2], ARGV[3])
  return 'done'`
