import { randomUUID } from 'node:crypto'
import { startApi, startBare } from './contenders.ts'
import type { Benchmark, Measurement } from './measurement.ts'
import { stages } from './stages.ts'
import { comparison, inTurns } from './turns.ts'

const TARGET = 0.4
const VALUE = 'x'.repeat(40)

/** Durable creation of keys, beside a bare route that inserts one row as durably. */
export const writes: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) {
    const [api, bare] = await Promise.all([startApi(stage.forApi), startBare(stage.forBare)])
    const vary = () => ({
      body: JSON.stringify({ name: `K_${randomUUID().replaceAll('-', '_')}`, value: VALUE }),
    })
    const subject = {
      address: api.address,
      pids: [api.pid],
      call: { method: 'POST', path: '/api/v1/keys', headers: api.owner.headers, vary },
    } as const
    const baseline = {
      address: bare.address,
      pids: [bare.pid],
      call: { method: 'POST', path: '/rows', vary },
    } as const
    const turns = await inTurns({ subject, baseline }, options)
    const what = `create a key, durable, ${stage.name}`
    measurements.push(comparison({ what, beside: 'bare INSERT', target: TARGET }, turns))
    await Promise.all([api.stop('SIGKILL'), bare.stop('SIGKILL')])
  }
  return measurements
}
