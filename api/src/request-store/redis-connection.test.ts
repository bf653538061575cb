import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { multiplyTimeLimits } from '@keyferry/plumbing/time-limits'
import { createClient } from 'redis'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../plumbing/src/free-port.ts'
import { hasPrograms } from '../../../plumbing/test/programs.ts'
import { ownRedis, startRedis } from '../../../plumbing/test/redis-server.ts'
import { TIME_LIMIT_FACTOR } from '../../../plumbing/test/until.ts'
import { openRedis } from './redis-connection.ts'
import { pingRedis } from './request-notices.ts'

const redis = await ownRedis()
afterAll(() => redis?.stop())

test.runIf(redis)(
  'a Redis that accepts but does not answer makes a call fail in a few seconds, and the next ones at once',
  async () => {
    multiplyTimeLimits(1)
    onTestFinished(() => multiplyTimeLimits(Number(TIME_LIMIT_FACTOR)))
    const connection = await openRedis(redis?.url ?? '', () => {})
    redis?.freeze()
    try {
      await expect(pingRedis(connection)).rejects.toMatchObject({ code: 'unavailable' })
      const cause = { message: 'no reply to an earlier command' }
      await expect(pingRedis(connection)).rejects.toMatchObject({ code: 'unavailable', cause })
    } finally {
      redis?.thaw()
    }
    await expect.poll(() => pingRedis(connection).then(() => 'back', String)).toBe('back')
    connection.close()
  },
)

test.runIf(redis)('a refusal of Redis keeps its code, for the log', async () => {
  const full = await ownRedis()
  if (full === null) return
  const connection = await openRedis(full.url, () => {})
  const client = createClient({ url: full.url })
  await client.connect()
  await client.aclSetUser('default', '-@scripting')
  client.destroy()
  await expect(pingRedis(connection)).rejects.toMatchObject({
    code: 'unavailable',
    cause: { code: 'NOPERM' },
  })
  connection.close()
  await full.stop()
})

test.runIf(redis)('a Redis that may evict keys is a warning', async () => {
  const evicting = await startRedis('--maxmemory-policy', 'volatile-lru')
  const connection = await openRedis(evicting.url, () => {})
  expect(connection.warnings).toEqual(['Redis may evict keys: set maxmemory-policy noeviction'])
  connection.close()
  await evicting.stop()
})

test.runIf(redis)('a Redis that is full or a replica is not ready', async () => {
  const full = await startRedis()
  const connection = await openRedis(full.url, () => {})
  await pingRedis(connection)
  const client = createClient({ url: full.url })
  await client.connect()
  await client.configSet('maxmemory', '1')
  await expect(pingRedis(connection)).rejects.toMatchObject({ cause: { code: 'OOM' } })
  await client.configSet('maxmemory', '0')
  await client.sendCommand(['REPLICAOF', '127.0.0.1', '1'])
  await expect(pingRedis(connection)).rejects.toMatchObject({ cause: { code: 'READONLY' } })
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
    await pingRedis(connection)
    connection.close()
    await own.stop()
    rmSync(folder, { recursive: true })
  },
)

test('a missing Redis prevents the start', async () => {
  await expect(openRedis('redis://127.0.0.1:1', () => {})).rejects.toMatchObject({ code: 'unavailable' })
})
