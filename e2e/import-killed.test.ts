import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { expect, onTestFinished, test } from 'vitest'
import { freshPostgres, hasPostgres } from '../plumbing/test/postgres.ts'
import { ownRedis } from '../plumbing/test/redis-server.ts'
import { type NodeProcess, SERVER_PROGRAM, startProcess } from './node-process.ts'
import { ownerNamed } from './signed-client.ts'

const SECRET = 'the shared secret of a test on loopback'
const VARIABLES = 500
// An import takes about 100 ms.
const DELAYS_MS = [5, 20, 40, 60, 90]

test.each(hasPostgres() ? ['sqlite', 'postgres'] : ['sqlite'])(
  'an import whose server is killed is whole or not there, on %s',
  { timeout: 120_000 },
  async (kind) => {
    const start = await serverOn(kind)
    for (const delayMs of DELAYS_MS) {
      const bundle = `killed/${delayMs}`
      const server = await start()
      const signed = await headersFor(server)
      const answer = send(server, signed, importOf(bundle, delayMs))
      await sleep(delayMs)
      await server.stop('SIGKILL')
      const isAnswered = (await answer) === 200
      const after = await start()
      const { call } = await ownerNamed('killed', after.address, SECRET)
      const keysOf = () => call('GET', '/api/v1/keys', { query: { query: `K${delayMs}_` } })
      const [found] = await call('GET', '/api/v1/bundles', { query: { query: bundle } })
      const keys = await keysOf()
      expect([0, VARIABLES]).toContain(keys.length)
      expect(found?.key_count ?? 0).toBe(keys.length)
      if (isAnswered) expect(keys.length).toBe(VARIABLES)
      expect(await send(after, await headersFor(after), importOf(bundle, delayMs))).toBe(200)
      expect(await keysOf()).toHaveLength(VARIABLES)
      await after.stop()
    }
  },
)

function importOf(bundle: string, delayMs: number): string {
  const names = Array.from({ length: VARIABLES }, (_, index) => `K${delayMs}_${index}`)
  return JSON.stringify({ bundle, entries: names.map((name) => ({ name, value: name })) })
}

async function headersFor({ address }: NodeProcess): Promise<Record<string, string>> {
  const { headers } = await ownerNamed('killed', address, SECRET)
  return { ...headers, 'content-type': 'application/json' }
}

/** @returns the status of the answer; null: the connection broke */
async function send(
  { address }: NodeProcess,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number | null> {
  try {
    return (await fetch(`${address}/api/v1/imports`, { method: 'POST', headers, body })).status
  } catch {
    return null
  }
}

async function serverOn(kind: string): Promise<() => Promise<NodeProcess>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyferry-killed-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const redis = kind === 'postgres' ? await ownRedis() : null
  if (redis) onTestFinished(() => redis.stop())
  const stores = redis ? { DATABASE_URL: await freshPostgres(), REDIS_URL: redis.url } : {}
  const env = { DATA_DIR: dataDir, BFF_SHARED_SECRET: SECRET, ROOT_KEY: formatRootKey(generateRootKey()) }
  return () =>
    startProcess({
      script: SERVER_PROGRAM,
      words: ['api'],
      env: { ...env, ...stores, AUTH_MODE: 'accounts' },
    })
}
