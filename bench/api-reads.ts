import { join } from 'node:path'
import { type ApiProcess, startApi, startPlain } from './contenders.ts'
import { makeBundle } from './library.ts'
import type { Benchmark, BenchOptions, Measurement } from './measurement.ts'
import { type Stage, stages } from './stages.ts'
import { comparison, inTurns } from './turns.ts'

const TARGET = 0.7
const BUNDLE_KEYS = 20

/** Signed reads of one key and of a bundle of 20 keys, beside plain routes that check the same signature and do the
 * same reads in the same database. */
export const apiReads: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) measurements.push(...(await measureReads(stage, options)))
  return measurements
}

async function measureReads({ name, forApi }: Stage, options: BenchOptions): Promise<Measurement[]> {
  const api = await startApi(forApi)
  const plain = await startPlain(forApi.databaseUrl ?? join(api.dataDir, 'keyferry.db'))
  try {
    const { keyId, bundleId } = await makeBundle(api.owner, 'bench', BUNDLE_KEYS)
    const measure = async (path: string, what: string) => {
      const call = { path, headers: api.owner.headers }
      const contender = ({ address, pid }: Pick<ApiProcess, 'address' | 'pid'>) => ({
        address,
        pids: [pid],
        call,
      })
      const turns = await inTurns({ subject: contender(api), baseline: contender(plain) }, options)
      return comparison({ what: `${what}, ${name}`, beside: 'plain route', target: TARGET }, turns)
    }
    return [
      await measure(`/api/v1/keys/${keyId}`, 'read a key'),
      await measure(`/api/v1/bundles/${bundleId}`, 'read a bundle of 20'),
    ]
  } finally {
    await Promise.all([api.stop(), plain.stop('SIGKILL')])
  }
}
