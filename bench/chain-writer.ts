import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { appendTogether } from '../api/src/storage/audit/appending.ts'
import { openDatabase } from '../api/src/storage/base/database.ts'
import { migrateDatabase } from '../api/src/storage/base/migrate.ts'
import type { Database, Queries } from '../api/src/storage/base/queries.ts'
import { recording } from '../api/src/storage/base/recording.ts'
import { type ApiProcess, startApi, temporaryFolder } from './contenders.ts'
import { load } from './load.ts'
import {
  type Benchmark,
  type BenchOptions,
  type Measurement,
  percentile,
  ratioOf,
  rounded,
  within,
} from './measurement.ts'
import { stages } from './stages.ts'

const TIMES = 5
const LAG_MS = 1_000
const LOOK_EVERY_MS = 25
const CALLERS = 16
const BACKLOG = 20_000
const AT_ONCE = 1_000

/** How far the audit log is behind while one workspace writes as fast as it can, and how fast appending is by
 * itself. */
export const chainWriter: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const { name, forApi, forBare } of stages()) {
    const api = await startApi(forApi)
    const database = await openDatabase(forApi.databaseUrl ?? join(api.dataDir, 'keyferry.db'))
    try {
      measurements.push(...(await measure({ name, api, database, emptyUrl: forBare }, options)))
    } finally {
      await database.close()
      await api.stop('SIGKILL')
    }
  }
  return measurements
}

type Place = { name: string; api: ApiProcess; database: Database; emptyUrl: string | undefined }

function vary() {
  return { body: JSON.stringify({ name: `K_${randomUUID().replaceAll('-', '_')}`, value: 'x' }) }
}

async function measure(
  { name, api, database, emptyUrl }: Place,
  { seconds }: BenchOptions,
): Promise<Measurement[]> {
  const call = { method: 'POST', path: '/api/v1/keys', headers: api.owner.headers, vary } as const
  const watch = watchLag(database)
  const { perSecond } = await load(api.address, call, { seconds: seconds * 2, connections: CALLERS })
  const lags = await watch.end()
  const appended = await appendedPerSecond(emptyUrl)
  const arriving = `${rounded(perSecond)} events arrive a second`
  const lag = percentile(lags, 0.99)
  return [
    ratioOf(appended / perSecond, TIMES, {
      what: `appending by itself, ${name}`,
      subject: `${rounded(appended)}/s`,
      baseline: arriving,
    }),
    within(
      { value: lag, bound: LAG_MS, unit: 'ms' },
      { what: `age of the oldest waiting event, p99, ${name}`, subject: '', baseline: arriving },
    ),
  ]
}

function watchLag(database: Database) {
  const lags: number[] = []
  const ended = new AbortController()
  const watching = (async () => {
    while (!ended.signal.aborted) {
      const { oldest } = await database.query
        .selectFrom('events')
        .select(({ fn }) => fn.min('created_at').as('oldest'))
        .executeTakeFirstOrThrow()
      lags.push(oldest === null ? 0 : Date.now() - Date.parse(oldest))
      await sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    async end(): Promise<number[]> {
      ended.abort()
      await watching
      return lags
    },
  }
}

/** Fills the outbox of an empty database, and empties it. */
async function appendedPerSecond(databaseUrl: string | undefined): Promise<number> {
  const database = await openDatabase(databaseUrl ?? join(temporaryFolder(), 'keyferry.db'))
  const key = { ...auditKeyOf(createAuditSeed()), name: 'bench/audit' }
  const tenantId = randomUUID()
  try {
    await migrateDatabase(database, new Date().toISOString())
    await fillOutbox(recording(database, key), tenantId)
    const startedAt = performance.now()
    const now = new Date().toISOString()
    const options = { ...database, key, afterAppend: async () => {}, now, most: database.appendBatch }
    let appended = 0
    for (let read = 1; read > 0; appended += read) {
      const seen = new Map([[tenantId, undefined]])
      read = (await database.write((transaction) => appendTogether(transaction, seen, options))).read
    }
    return appended / ((performance.now() - startedAt) / 1_000)
  } finally {
    await database.close()
  }
}

async function fillOutbox({ write }: Queries, tenantId: string): Promise<void> {
  const at = new Date().toISOString()
  const actor = { kind: 'user', id: randomUUID() } as const
  const origin = { ip: '192.0.2.1', user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140' }
  for (let count = 0; count < BACKLOG / AT_ONCE; count++)
    await write(async (transaction) => {
      for (let index = 0; index < AT_ONCE; index++) {
        const target = { kind: 'key', id: randomUUID(), name: `KEY_${index}` } as const
        const data = { version: 1, is_secret: true }
        transaction.record({ tenantId, action: 'key.created', at, actor, target, data, origin })
      }
    })
}
