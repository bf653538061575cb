import { processorMs } from '../e2e/node-process.ts'
import { startApi } from './contenders.ts'
import { makeBundle } from './library.ts'
import { type Benchmark, type Measurement, rounded, within } from './measurement.ts'
import { PEOPLE, peopleOf } from './people.ts'

const BUNDLES = 20
const NAMES = 200
const BOUND_MS = 50
const CALLS = 10

/** Comparing 20 bundles of 200 names, as an owner, a member and a limited member: the processor time of the API. */
export const comparing: Benchmark = async ({ turns }) => {
  const api = await startApi()
  try {
    const { bundleId, names } = await makeBundle(api.owner, 'compared', NAMES)
    const [bundle_ids, bundleNames] = [[bundleId], ['compared']]
    const params = { bundle_id: bundleId }
    while (bundle_ids.length < BUNDLES) {
      const body = { name: `copy-${bundle_ids.length}`, own: names.slice(0, NAMES / 2) }
      bundleNames.push(body.name)
      const copy = await api.owner.call('POST', '/api/v1/bundles/{bundle_id}/duplicate', { params, body })
      bundle_ids.push(copy.id)
    }
    const query = new URLSearchParams(bundle_ids.map((id): [string, string] => ['bundle_id', id]))
    const compare = async (headers: Readonly<Record<string, string>>) => {
      const answer = await fetch(`${api.address}/api/v1/compare?${query.toString()}`, { headers })
      const { rows } = (await answer.json()) as { rows: unknown[] }
      if (rows.length !== NAMES) throw new Error(`compared ${rows.length} names`)
    }
    const people = await peopleOf(api, api.owner, bundleNames)
    const measurements: Measurement[] = []
    for (const person of PEOPLE) {
      const figures: number[] = []
      for (let turn = 0; turn < turns; turn++) {
        const before = processorMs(api.pid)
        for (let call = 0; call < CALLS; call++) await compare(people[person].headers)
        figures.push((processorMs(api.pid) - before) / CALLS)
      }
      const what = `comparing ${BUNDLES} bundles of ${NAMES} names as ${person}, processor time`
      const subject = `slowest turn ${rounded(Math.max(...figures))} ms`
      const value = Math.min(...figures)
      measurements.push(within({ value, bound: BOUND_MS, unit: 'ms' }, { what, subject, baseline: '' }))
    }
    return measurements
  } finally {
    await api.stop('SIGKILL')
  }
}
