import { join } from 'node:path'
import { type ApiProcess, startApi, startPlain } from './contenders.ts'
import { makeBundle } from './library.ts'
import { type Benchmark, type BenchOptions, type Measurement, within } from './measurement.ts'
import { OVER_OWNER, peopleOf } from './people.ts'
import { type Stage, stages } from './stages.ts'
import { comparison, inTurns, shownSpeed, type Turns } from './turns.ts'

const TARGET = 0.7
const BUNDLE_KEYS = 20

/** Signed reads of one key and of a bundle of 20 keys: an owner's beside plain routes that check the same signature and
 * do the same reads in the same database; those of a member and of a limited member beside the owner's. */
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
    const people = await peopleOf(api, api.owner, ['bench'])
    const reads = {
      'read a key': `/api/v1/keys/${keyId}`,
      'read a bundle of 20': `/api/v1/bundles/${bundleId}`,
    }
    const measurements: Measurement[] = []
    for (const [what, path] of Object.entries(reads)) {
      const contender = (
        { address, pid }: Pick<ApiProcess, 'address' | 'pid'>,
        { headers } = people.owner,
      ) => ({ address, pids: [pid], call: { path, headers } })
      const beside = { subject: contender(api), baseline: contender(plain) }
      const parts = { what: `${what}, ${name}`, beside: 'plain route', target: TARGET }
      measurements.push(comparison(parts, await inTurns(beside, options)))
      for (const person of ['member', 'limited member'] as const) {
        const turns = await inTurns(
          { subject: contender(api, people[person]), baseline: contender(api) },
          options,
        )
        measurements.push(overOwner(`${what} as a ${person}, ${name}`, OVER_OWNER[person], turns))
      }
    }
    return measurements
  } finally {
    await Promise.all([api.stop(), plain.stop('SIGKILL')])
  }
}

function overOwner(what: string, bound: number, { subject, baseline, coreRatio }: Turns): Measurement {
  const figures = { what, subject: shownSpeed(subject), baseline: `${shownSpeed(baseline)} as the owner` }
  return within({ value: 1 / coreRatio, bound, unit: 'times' }, figures)
}
