import { processorMs } from '../e2e/node-process.ts'
import { startApi } from './contenders.ts'
import { makeBundle } from './library.ts'
import { type Benchmark, rounded, within } from './measurement.ts'

const BUNDLES = 20
const NAMES = 200
const BOUND_MS = 50
const CALLS = 10

/** Comparing 20 bundles of 200 names: the processor time of the API. */
export const comparing: Benchmark = async ({ turns }) => {
  const api = await startApi()
  try {
    const { bundleId, names } = await makeBundle(api.owner, 'compared', NAMES)
    const bundle_ids = [bundleId]
    const params = { bundle_id: bundleId }
    while (bundle_ids.length < BUNDLES) {
      const body = { name: `copy-${bundle_ids.length}`, own: names.slice(0, NAMES / 2) }
      const copy = await api.owner.call('POST', '/api/v1/bundles/{bundle_id}/duplicate', { params, body })
      bundle_ids.push(copy.id)
    }
    const query = new URLSearchParams(bundle_ids.map((id): [string, string] => ['bundle_id', id]))
    const compare = async () => {
      const answer = await fetch(`${api.address}/api/v1/compare?${query.toString()}`, {
        headers: api.owner.headers,
      })
      const { rows } = (await answer.json()) as { rows: unknown[] }
      if (rows.length !== NAMES) throw new Error(`compared ${rows.length} names`)
    }
    const figures: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      const before = processorMs(api.pid)
      for (let call = 0; call < CALLS; call++) await compare()
      figures.push((processorMs(api.pid) - before) / CALLS)
    }
    const what = `comparing ${BUNDLES} bundles of ${NAMES} names, processor time`
    const subject = `slowest turn ${rounded(Math.max(...figures))} ms`
    return [
      within({ value: Math.min(...figures), bound: BOUND_MS, unit: 'ms' }, { what, subject, baseline: '' }),
    ]
  } finally {
    await api.stop('SIGKILL')
  }
}
