import { randomUUID } from 'node:crypto'
import { startApi, startWriter } from './contenders.ts'
import type { Benchmark, Measurement } from './measurement.ts'
import { stages } from './stages.ts'
import { comparison, inTurns } from './turns.ts'

const TARGET = 0.6
const VALUE = 'x'.repeat(40)

/** Durable creation of keys, beside a plain route with the same reads, encryption, event and durable rows. */
export const writes: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) {
    const api = await startApi(stage.forApi)
    const plain = await startWriter(api.owner, stage.forBare)
    const vary = () => ({
      body: JSON.stringify({ name: `K_${randomUUID().replaceAll('-', '_')}`, value: VALUE }),
    })
    const subject = {
      address: api.address,
      pids: [api.pid],
      call: { method: 'POST', path: '/api/v1/keys', headers: api.owner.headers, vary },
    } as const
    const baseline = {
      address: plain.address,
      pids: [plain.pid],
      call: { method: 'POST', path: '/keys', headers: api.owner.headers, vary },
    } as const
    const turns = await inTurns({ subject, baseline }, options)
    const what = `create a key, durable, ${stage.name}`
    measurements.push(comparison({ what, beside: 'plain route', target: TARGET }, turns))
    await Promise.all([api.stop('SIGKILL'), plain.stop('SIGKILL')])
  }
  return measurements
}
