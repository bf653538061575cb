import { createClient } from '@keyferry/contract/client'
import { Client } from 'pg'
import { createClient as connectRedis } from 'redis'
import { processorMs } from '../e2e/node-process.ts'
import { startApi } from './contenders.ts'
import { makeBundle } from './library.ts'
import { type Benchmark, type Measurement, rounded, shown } from './measurement.ts'
import { newPeer, PUBLIC_KEY } from './open-waits.ts'
import { type Stage, stages } from './stages.ts'

const DELIVERIES = 1_000
const WARM_UP = 200
const AT_ONCE = 16

/** Whole deliveries (asked, approved, fetched) one after another on 16 lines: what one API node carries, and what each
 * costs it and the stores behind it. */
export const deliveries: Benchmark = async () => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) measurements.push(...(await measure(stage)))
  return measurements
}

async function measure(stage: Stage): Promise<Measurement[]> {
  const api = await startApi(stage.forApi)
  const library = await makeBundle(api.owner, 'deliveries', 10)
  const deliver = async () => {
    const call = createClient(api.address)
    const headers = { 'x-forwarded-for': newPeer() }
    const { id } = await call('POST', '/api/v1/requests', { body: { client_pubkey: PUBLIC_KEY }, headers })
    const params = { request_id: id }
    const body = { bundle_id: library.bundleId, include_keys: [...library.names] }
    await api.owner.call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', { params, body })
    const { status } = await call('GET', '/api/v1/requests/{request_id}/wait', { params, headers })
    if (status !== 'ready') throw new Error('approved and not delivered')
  }
  await repeat(deliver, WARM_UP)
  const before = { ms: processorMs(api.pid), stores: await storeCounts(stage) }
  const startedAt = performance.now()
  await repeat(deliver, DELIVERIES)
  const seconds = (performance.now() - startedAt) / 1_000
  const after = { ms: processorMs(api.pid), stores: await storeCounts(stage) }
  await api.stop('SIGKILL')
  const figures = {
    what: `whole deliveries, ${stage.name}`,
    baseline: '',
    subject: `${rounded(DELIVERIES / seconds)}/s`,
  }
  const each = (from: number, to: number) => (to - from) / DELIVERIES
  const cost = shown(`${rounded(each(before.ms, after.ms))} ms of a core each`, figures)
  const stores = after.stores.map(({ name, count }, index) => {
    const operations = each(before.stores[index]?.count ?? 0, count)
    return shown(`${rounded(operations)} ${name} each`, { ...figures, subject: '' })
  })
  return [cost, ...stores]
}

async function repeat(act: () => Promise<void>, count: number): Promise<void> {
  let left = count
  const line = async () => {
    while (left-- > 0) await act()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, line))
}

type StoreCount = { readonly name: string; readonly count: number }

async function storeCounts({ forApi: { databaseUrl, redisUrl } }: Stage): Promise<StoreCount[]> {
  if (databaseUrl === undefined || redisUrl === undefined) return []
  const postgres = new Client(databaseUrl)
  await postgres.connect()
  // A backend reports its counts when it has been idle for a second, at the latest.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const { rows } = await postgres.query<{ count: string }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  )
  await postgres.end()
  const redis = await connectRedis({ url: redisUrl }).connect()
  const stats = await redis.info('commandstats')
  redis.destroy()
  const calls = [...stats.matchAll(/^cmdstat_(?!info|hello|client).*?:calls=(\d+)/gm)]
  const commands = calls.reduce((sum, [, count]) => sum + Number(count), 0)
  return [
    { name: 'PostgreSQL transactions', count: Number(rows[0]?.count) },
    { name: 'Redis commands', count: commands },
  ]
}
