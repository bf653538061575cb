import { setTimeout as sleep } from 'node:timers/promises'
import { freshPostgres, ownPostgres } from '../../plumbing/test/postgres.ts'
import { ownRedisCluster, ownRedisSentinels } from '../../plumbing/test/redis-cluster.ts'
import { ownRedis } from '../../plumbing/test/redis-server.ts'
import { Deployment } from './deployment.ts'
import { History } from './history.ts'
import { TerminalClient } from './terminal-client.ts'
import { posting, type TimedAnswer, timedAnswer } from './timed-answers.ts'
import { beginWorkload, makeSharedBundle, type SharedBundle, storedKeys } from './workload.ts'

/** Something the API needs that goes away and comes back. */
export type Outage = {
  readonly name: string
  readonly stores: { readonly databaseUrl: string; readonly redisUrl?: string }
  begin(): Promise<void>
  end(): Promise<void>
  /** Calls that cannot be answered without it. */
  readonly needs: 'database' | 'approvals'
}

export type OutageResult = {
  /** Answers to calls that need the unavailable part. */
  readonly answers: readonly TimedAnswer[]
  /** Answers of `/healthz` during the outage; it depends on nothing. */
  readonly health: readonly TimedAnswer[]
  /** From the end of the outage until a whole delivery went through again. */
  readonly recoveredMs: number
  readonly faults: readonly string[]
}

/** Every outage, on a separate PostgreSQL and Redis; without redis-server, it says so and runs none. */
export async function* storeOutages(): AsyncGenerator<Outage> {
  const redis = await ownRedis()
  if (!redis) return
  const postgres = await ownPostgres()
  const stores = async (name: string) => ({
    databaseUrl: await postgres.newDatabase(name),
    redisUrl: redis.url,
  })
  try {
    yield {
      name: 'PostgreSQL stopped',
      stores: await stores('stopped'),
      needs: 'database',
      begin: () => postgres.stop(),
      end: () => postgres.start(),
    }
    yield {
      name: 'Redis killed',
      stores: await stores('killed'),
      needs: 'approvals',
      begin: () => redis.stop(),
      end: () => redis.start(),
    }
    yield {
      name: 'Redis frozen',
      stores: await stores('frozen'),
      needs: 'approvals',
      begin: async () => redis.freeze(),
      end: async () => redis.thaw(),
    }
  } finally {
    await Promise.all([postgres.dispose(), redis.stop()])
  }
}

/** A master of Redis is killed and stays away; another server takes over. */
export async function* redisFailovers(): AsyncGenerator<Outage> {
  for (const [name, start] of Object.entries({ cluster: ownRedisCluster, sentinels: ownRedisSentinels })) {
    const servers = await start()
    const databaseUrl = await freshPostgres()
    if (!servers) return
    yield {
      name: `Redis master killed, ${name}`,
      stores: { databaseUrl, redisUrl: servers.url },
      needs: 'approvals',
      begin: async () => await (await servers.masterOf('{requests}')).stop(),
      end: async () => {},
    }
    await servers.stop()
  }
}

const PREFIX = 'OUTAGE_'
const LOAD = { writers: 2, askers: 2 }
const LOAD_MS = 300
const ROUNDS = 3
const GIVE_UP_MS = 60_000

/** Work, lose a store while working on, get it back, and go on without a restart. */
export async function sufferOutage(outage: Outage): Promise<OutageResult> {
  await using deployment = await Deployment.start({ processes: 'separate', stores: outage.stores })
  const { address } = deployment
  const history = new History()
  const bundle = await makeSharedBundle(address)
  const end = beginWorkload({ address, history, bundle, prefix: PREFIX, ...LOAD })
  await sleep(LOAD_MS)
  await outage.begin()
  const answers: TimedAnswer[] = []
  const health: TimedAnswer[] = []
  for (let round = 0; round < ROUNDS; round++) {
    answers.push(...(await Promise.all(callsOf(outage.needs, { address, bundle }))))
    health.push(await timedAnswer(`${address}/healthz`))
  }
  await outage.end()
  const recoveredMs = await untilDelivered(address, bundle)
  await end()
  return { answers, health, recoveredMs, faults: history.faults(await storedKeys(address, PREFIX), PREFIX) }
}

type Target = { address: string; bundle: SharedBundle }

function callsOf(needs: Outage['needs'], { address, bundle }: Target): Promise<TimedAnswer>[] {
  if (needs === 'approvals') {
    const body = { client_pubkey: Buffer.alloc(32, 9).toString('base64') }
    return [timedAnswer(`${address}/api/v1/requests`, posting(body))]
  }
  const key = { name: `REFUSED_${Math.random().toString(36).slice(2)}`, value: 'x' }
  return [
    timedAnswer(`${address}/api/v1/keys`),
    timedAnswer(`${address}/api/v1/bundles/${bundle.bundleId}`),
    timedAnswer(`${address}/api/v1/keys`, posting(key)),
  ]
}

async function untilDelivered(address: string, bundle: SharedBundle): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    try {
      const client = new TerminalClient(address)
      const requestId = await client.ask()
      await client.approve(requestId, bundle)
      if ((await client.wait(requestId)) === bundle.plaintext) return performance.now() - startedAt
    } catch (error) {
      if (performance.now() - startedAt > GIVE_UP_MS) throw error
      await sleep(50)
    }
  }
}
