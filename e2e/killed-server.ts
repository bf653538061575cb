import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { onTestFinished } from 'vitest'
import { administer, freshPostgres } from '../plumbing/test/postgres.ts'
import { ownRedis } from '../plumbing/test/redis-server.ts'
import { PATIENCE_MS } from '../plumbing/test/until.ts'
import { type NodeProcess, startProcess } from './node-process.ts'
import { SERVER_PROGRAM } from './programs.ts'
import { ownerNamed } from './signed-client.ts'

const SECRET = 'the shared secret of a test on loopback'

/** A test run kills at every second moment, `npm run faults -- properties` at each. */
export function momentsOf(delaysMs: readonly number[]): readonly number[] {
  const step = process.env['PROPERTY_RUNS'] === undefined ? 2 : 1
  return delaysMs.filter((_, index) => index % step === 0)
}

/** An API with its own stores, which a test can start and kill many times. The stores are removed after the test. */
export async function killedServer(kind: string) {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyferry-killed-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const redis = kind === 'postgres' ? await ownRedis() : null
  if (redis) onTestFinished(() => redis.stop())
  const stores = redis ? { DATABASE_URL: await freshPostgres(), REDIS_URL: redis.url } : {}
  const env = { DATA_DIR: dataDir, BFF_SHARED_SECRET: SECRET, ROOT_KEY: formatRootKey(generateRootKey()) }
  return {
    secret: SECRET,
    /** @param preload a file that Node loads before the server */
    start: (preload?: string) =>
      startProcess({
        script: SERVER_PROGRAM,
        words: ['api'],
        env: { ...env, ...stores, AUTH_MODE: 'accounts' },
        ...(preload === undefined ? {} : { preload }),
      }),
    /** Delete an open request, as a crash of PostgreSQL does. */
    loseRequest: async (id: string): Promise<void> => {
      const statement = `delete from requests where id = '${id}'`
      if ('DATABASE_URL' in stores) return await administer(stores.DATABASE_URL, statement)
      using database = new DatabaseSync(join(dataDir, 'keyferry.db'), { timeout: PATIENCE_MS })
      database.exec(statement)
    },
    /** The headers of a call by the owner of the workspace that the test works in. */
    signedFor: async ({ address }: NodeProcess): Promise<Record<string, string>> => {
      const { headers } = await ownerNamed('killed', address, SECRET)
      return { ...headers, 'content-type': 'application/json' }
    },
  }
}
