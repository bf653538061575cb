import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { SECRET } from '../../api/test/test-settings.ts'
import { until } from '../../plumbing/test/until.ts'
import { startProcess } from '../node-process.ts'
import { SERVER_PROGRAM } from '../programs.ts'

const WATCH = join(import.meta.dirname, 'watch.ts')

/** `processorMs`: of all threads. `holdMs`: the longest time that no other call could be answered. `growthMiB`: of
 * resident memory at its peak. */
export type Figures = { readonly processorMs: number; readonly blockedMs: number; readonly growthMiB: number }

/** An API that measures itself. */
export type WatchedApi = {
  readonly address: string
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly rootKey: string
  begin(): Promise<void>
  figures(): Promise<Figures>
  dispose(): Promise<void>
}

/** Start `keyferry-server api` on SQLite, or on PostgreSQL if its address is given. */
export async function startWatchedApi(databaseUrl: string | null): Promise<WatchedApi> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyferry-bounds-'))
  const rootKey = formatRootKey(generateRootKey())
  const api = await startProcess({
    script: SERVER_PROGRAM,
    words: ['api'],
    preload: WATCH,
    env: {
      NODE_ENV: 'development',
      NODE_OPTIONS: '--max-semi-space-size=4',
      DATA_DIR: dataDir,
      ROOT_KEY: rootKey,
      BFF_SHARED_SECRET: SECRET,
      AUTH_MODE: 'accounts',
      DEV_ALLOW_PLAINTEXT: '1',
      TRUST_PROXY: '127.0.0.1',
      REQUEST_TTL: '3600',
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    },
  })
  const watch = await watchAddress(api.output)
  return {
    address: api.address,
    dataDir,
    databaseUrl,
    rootKey,
    begin: async () => void (await (await fetch(watch, { method: 'POST' })).text()),
    figures: async () => (await (await fetch(watch)).json()) as Figures,
    async dispose() {
      await api.stop('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function watchAddress(output: () => string): Promise<string> {
  return await until('the address of the watched API', () => /Watched (http:\/\/\S+)/.exec(output())?.[1])
}
