import { bareRow, startApi, startBare } from './contenders.ts'
import { makeBundle } from './library.ts'
import type { Benchmark, BenchOptions, Measurement } from './measurement.ts'
import { type Stage, stages } from './stages.ts'
import { comparison, inTurns } from './turns.ts'

const KEY_TARGET = 0.5
const BUNDLE_TARGET = 0.35
const BUNDLE_KEYS = 20

/** Signed reads of one key and of a bundle of 20 keys, beside a bare route that reads one row. */
export const apiReads: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) measurements.push(...(await measureReads(stage, options)))
  return measurements
}

async function measureReads(stage: Stage, options: BenchOptions): Promise<Measurement[]> {
  const [api, bare] = await Promise.all([startApi(stage.forApi), startBare(stage.forBare)])
  try {
    const { keyId, bundleId } = await makeBundle(api.owner, 'bench', BUNDLE_KEYS)
    const { headers } = api.owner
    const baseline = {
      address: bare.address,
      pids: [bare.pid],
      call: { path: `/rows/${await bareRow(bare)}` },
    }
    const measure = async (path: string, what: string, target: number) => {
      const subject = { address: api.address, pids: [api.pid], call: { path, headers } }
      const turns = await inTurns({ subject, baseline }, options)
      return comparison({ what: `${what}, ${stage.name}`, beside: 'bare SELECT', target }, turns)
    }
    return [
      await measure(`/api/v1/keys/${keyId}`, 'read a key', KEY_TARGET),
      await measure(`/api/v1/bundles/${bundleId}`, 'read a bundle of 20', BUNDLE_TARGET),
    ]
  } finally {
    await Promise.all([api.stop(), bare.stop('SIGKILL')])
  }
}
