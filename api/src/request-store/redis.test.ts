import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomRequestId } from '@keyferry/crypto/token'
import { createClient } from 'redis'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../plumbing/src/free-port.ts'
import { hasPrograms } from '../../../plumbing/test/programs.ts'
import { ownRedis, startRedis } from '../../../plumbing/test/redis-server.ts'
import { actsOn } from '../../test/request-acts.ts'
import { sampleRequest, sealing } from '../../test/sample-request.ts'
import { EXPIRED_KNOWN_MS } from '../domain/requests/request-store.ts'
import { openRedisRequestStore } from './redis.ts'
import { openRedis } from './redis-connection.ts'

const redis = await ownRedis()

const request = (lifetimeMs: number) => sampleRequest({ expiresAtMs: Date.now() + lifetimeMs })

describe.runIf(redis)('request store on a Redis that comes and goes', async () => {
  if (redis === null) return
  const connection = await openRedis(redis.url, () => {})
  const store = actsOn(await openRedisRequestStore({ redis: connection }))
  afterAll(async () => {
    connection.close()
    await redis.stop()
  })

  const untilBack = async () => {
    for (let attempt = 0; attempt < 200; attempt++) {
      const isBack = await store.store.ping().then(
        () => true,
        () => false,
      )
      if (isBack) return
      await sleep(20)
    }
    throw new Error('the store did not come back')
  }

  test('Redis itself ends a request when its lifetime ends, and only its id stays for 15 minutes', async () => {
    const made = request(60)
    await store.create(made, Date.now())
    await sleep(90)
    const client = createClient({ url: redis.url })
    await client.connect()
    const remembered = `keyferry:{requests}:gone:${made.id}`
    expect(await client.keys(`*${made.id}*`)).toEqual([remembered])
    expect(await client.get(remembered)).toBe('')
    expect(await client.pTTL(remembered)).toBeLessThanOrEqual(EXPIRED_KNOWN_MS)
    expect(await store.hasExpired(made.id, Date.now())).toBe(true)
    client.destroy()
  })

  test('a change of what was read before is one command, unless another process changed it meanwhile', async () => {
    let commands = 0
    const own = await openRedis(redis.url, () => {})
    const reply: typeof own.reply = (command) => {
      commands++
      return own.reply(command)
    }
    const counted = actsOn(await openRedisRequestStore({ redis: { ...own, reply } }))
    const [one, other] = [request(60_000), request(60_000)]
    for (const each of [one, other]) {
      await store.create(each, Date.now())
      await counted.find(each.id, Date.now())
    }
    commands = 0
    expect(await counted.approve(one.id, sealing(), Date.now())).toBe('done')
    expect(await counted.claim(one.id, Date.now())).toMatchObject({ status: 'claimed' })
    expect(commands).toBe(2)
    await store.deny(other.id, Date.now())
    expect(await counted.approve(other.id, sealing(), Date.now())).toBe('denied')
    expect(commands).toBe(4)
    own.close()
  })

  test('while Redis is unavailable calls fail at once, and they work again once it is back', async () => {
    await redis.stop()
    await expect(store.find('any', 0)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    await expect(store.create(request(1_000), Date.now())).rejects.toMatchObject({ code: 'unavailable' })
    await redis.start()
    await untilBack()
    const made = request(60_000)
    await store.create(made, Date.now())
    expect(await store.find(made.id, Date.now())).toMatchObject({ request: made, status: 'pending' })
  })

  test('a watcher is called after a lost connection, and hears of approvals again', async () => {
    let calls = 0
    const id = randomRequestId()
    store.watch(id, () => calls++)
    await redis.stop()
    await redis.start()
    await untilBack()
    await expect.poll(() => calls).toBeGreaterThan(0)
    const earlier = calls
    const made = { ...request(60_000), id }
    await store.create(made, Date.now())
    await store.approve(id, sealing(), Date.now())
    await expect.poll(() => calls).toBeGreaterThan(earlier)
  })

  test('a Redis that accepts but does not answer makes a call fail in a few seconds, and the next ones at once', async () => {
    redis.freeze()
    try {
      const find = () => store.find('any', 0)
      await expect(find()).rejects.toMatchObject({ code: 'unavailable' })
      const cause = { message: 'no reply to an earlier command' }
      await expect(find()).rejects.toMatchObject({ code: 'unavailable', cause })
    } finally {
      redis.thaw()
    }
    await untilBack()
  })
})

test.runIf(redis)('a refusal of Redis keeps its code, for the log', async () => {
  const full = await ownRedis()
  if (full === null) return
  const connection = await openRedis(full.url, () => {})
  const store = actsOn(await openRedisRequestStore({ redis: connection }))
  const client = createClient({ url: full.url })
  await client.connect()
  await client.aclSetUser('default', '-@scripting')
  client.destroy()
  const creation = store.create(request(60_000), Date.now())
  await expect(creation).rejects.toMatchObject({ code: 'unavailable', cause: { code: 'NOPERM' } })
  connection.close()
  await full.stop()
})

test.runIf(redis)('a Redis that may evict keys is a warning', async () => {
  const evicting = await startRedis('--maxmemory-policy', 'volatile-lru')
  const connection = await openRedis(evicting.url, () => {})
  expect(connection.warnings).toEqual([expect.stringContaining('noeviction')])
  connection.close()
  await evicting.stop()
})

test.runIf(redis)('a Redis that takes no writes is not ready', async () => {
  const full = await startRedis()
  const connection = await openRedis(full.url, () => {})
  const { store } = actsOn(await openRedisRequestStore({ redis: connection }))
  await store.ping()
  const client = createClient({ url: full.url })
  await client.connect()
  await client.configSet('maxmemory', '1')
  await expect(store.ping()).rejects.toMatchObject({ cause: { code: 'OOM' } })
  client.destroy()
  connection.close()
  await full.stop()
})

test.runIf(redis && hasPrograms('openssl'))(
  'rediss:// trusts the CA that the address names, and no other',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keyferry-tls-'))
    const [key, ca] = [join(folder, 'key.pem'), join(folder, 'ca.pem')]
    const certificate = [
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=own',
      '-keyout',
      key,
      '-out',
      ca,
    ]
    execFileSync('openssl', ['req', ...certificate, '-addext', 'subjectAltName=IP:127.0.0.1'], {
      stdio: 'ignore',
    })
    const port = await freePort()
    const files = ['--tls-cert-file', ca, '--tls-key-file', key, '--tls-ca-cert-file', ca]
    const own = await startRedis('--tls-port', String(port), '--tls-auth-clients', 'no', ...files)
    const url = `rediss://127.0.0.1:${port}`
    await expect(openRedis(url, () => {})).rejects.toMatchObject({ code: 'unavailable' })
    const connection = await openRedis(`${url}?ssl_ca_certs=${ca}`, () => {})
    await actsOn(await openRedisRequestStore({ redis: connection })).store.ping()
    connection.close()
    await own.stop()
    rmSync(folder, { recursive: true })
  },
)

test('a missing Redis prevents the start', async () => {
  await expect(openRedis('redis://127.0.0.1:1', () => {})).rejects.toMatchObject({ code: 'unavailable' })
})
