/**
 * The one script that writes: it inserts a request, changes it or removes it, if its version is still the one that the
 * caller read. All keys have one hash tag, so the script works on Redis Cluster too.
 *
 * KEYS: the record (`v` version, `until`, `r` request, `s` state, `box` or `p` payload); the live ids by expiry; the
 * bytes of each box, and of all in `total`; the key that remembers the id; then the indexes that list the request.
 * ARGV: 1 the caller's clock, 2 id, 3 channel, 4 the version that was read (empty: insert), 5 the new one (empty:
 * remove), 6 until, 7 state, 8 what happens to the payload (keep, read, drop, put, box), 9 payload, 10 request, 11 how
 * many may be live, 12 how many bytes all boxes may take, 13 for how long the id is remembered. Times are epoch
 * milliseconds of the caller. Each lifetime is passed to Redis as a length, so its clock may differ.
 * @returns ['done', payload if it is read] · ['lost'] another writer was faster, or the request ended · ['full']
 */
export const WRITE = `
  local now, id, was, is = tonumber(ARGV[1]), ARGV[2], ARGV[4], ARGV[5]
  local have = redis.call('hmget', KEYS[1], 'v', 'until')
  local version = have[1] and tonumber(have[2]) > now and have[1] or ''
  if version ~= was then return { 'lost' } end
  local life = math.max(1, ARGV[6] - now)

  local function extend(key, ms) redis.call('pexpire', key, math.max(ms, redis.call('pttl', key))) end
  local function free(box)
    local bytes = redis.call('hget', KEYS[3], box)
    if not bytes then return end
    redis.call('hdel', KEYS[3], box)
    redis.call('hincrby', KEYS[3], 'total', -bytes)
  end

  if was == '' then
    for _, ended in ipairs(redis.call('zrangebyscore', KEYS[2], '-inf', now)) do free(ended) end
    redis.call('zremrangebyscore', KEYS[2], '-inf', now)
    if redis.call('zcard', KEYS[2]) >= tonumber(ARGV[11]) then return { 'full' } end
    if ARGV[8] == 'box' then
      local bytes = #ARGV[9]
      if bytes + tonumber(redis.call('hget', KEYS[3], 'total') or 0) > tonumber(ARGV[12]) then return { 'full' } end
      redis.call('hset', KEYS[3], id, bytes)
      redis.call('hincrby', KEYS[3], 'total', bytes)
      redis.call('hset', KEYS[1], 'box', ARGV[9])
    end
    redis.call('hset', KEYS[1], 'r', ARGV[10])
  end

  local payload = ARGV[8] == 'read' and redis.call('hget', KEYS[1], 'p')
  if ARGV[8] == 'drop' or is == '' then
    redis.call('hdel', KEYS[1], 'p', 'box')
    free(id)
  end
  if ARGV[8] == 'put' then redis.call('hset', KEYS[1], 'p', ARGV[9]) end
  if was ~= '' then redis.call('publish', ARGV[3], id) end

  local lists = { KEYS[2], unpack(KEYS, 5) }
  if is == '' then
    redis.call('del', KEYS[1], KEYS[4])
    for _, list in ipairs(lists) do redis.call('zrem', list, id) end
    return { 'done', '' }
  end
  redis.call('hset', KEYS[1], 'v', is, 'until', ARGV[6], 's', ARGV[7])
  redis.call('pexpire', KEYS[1], life)
  redis.call('set', KEYS[4], '', 'px', life + ARGV[13])
  extend(KEYS[3], life)
  for position, list in ipairs(lists) do
    if position > 1 then redis.call('zremrangebyscore', list, '-inf', now) end
    redis.call('zadd', list, ARGV[6], id)
    extend(list, life)
  end
  return { 'done', payload or '' }`

/** What the store needs: a script that may write and publish. KEYS[1] any key, ARGV[1] the channel. */
export const PING = `redis.call('set', KEYS[1], '', 'px', 1000)
  return redis.call('publish', ARGV[1], '')`
