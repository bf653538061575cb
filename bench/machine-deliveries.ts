import { Agent, request } from 'node:http'
import { startApi, startWriter } from './contenders.ts'
import type { LoadCall } from './load.ts'
import { MACHINES, startMachineWorld } from './machine-world.ts'
import { type Benchmark, type Measurement, median, rounded, within } from './measurement.ts'
import { PUBLIC_KEY } from './open-waits.ts'
import { type Stage, stages } from './stages.ts'
import { comparison, inTurns } from './turns.ts'

const OF_PLAIN = 0.7
const OF_TOKEN = 0.85
const ALONE_MS = 5
const ALONE_CALLS = 300

/** Deliveries of 20 keys to machines: by a token beside a plain route with the same reads, decryptions,
 * seal and rows, by an ID token whose
 * issuer's keys are cached beside a token, and one after another. */
export const machineDeliveries: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) {
    const api = await startApi(stage.forApi, { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' } })
    const plain = await startWriter(api.owner, stage.forBare)
    const world = await startMachineWorld(api)
    const machine = (call: LoadCall) => ({ address: api.address, pids: [api.pid], call })
    const body = JSON.stringify({ client_pubkey: PUBLIC_KEY })
    let next = 0
    const vary = () => ({ headers: { authorization: `Bearer machine-${next++ % MACHINES}` }, body })
    const call = { method: 'POST', path: '/deliveries', vary } as const
    const baseline = { address: plain.address, pids: [plain.pid], call }
    measurements.push(await alone(stage, api.address, world.byToken))
    const byToken = machine(world.byToken)
    const beside = await inTurns({ subject: byToken, baseline }, options)
    const what = `deliver 20 keys to a machine by token, ${stage.name}`
    measurements.push(comparison({ what, beside: 'plain route', target: OF_PLAIN }, beside))
    const byIdToken = await inTurns({ subject: machine(world.byIdToken), baseline: byToken }, options)
    const idToken = `the same by ID token, ${stage.name}`
    measurements.push(comparison({ what: idToken, beside: 'by token', target: OF_TOKEN }, byIdToken))
    world.stop()
    await Promise.all([api.stop('SIGKILL'), plain.stop('SIGKILL')])
  }
  return measurements
}

async function alone(stage: Stage, address: string, call: LoadCall): Promise<Measurement> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (let count = 0; count < ALONE_CALLS; count += 1) times.push(await timeOf(address, call, agent))
  agent.destroy()
  const warm = times.slice(ALONE_CALLS / 3)
  const slowest = `slowest ${rounded(Math.max(...warm))} ms`
  const figures = { what: `one at a time, p50, ${stage.name}`, subject: slowest, baseline: '' }
  return within({ value: median(warm), bound: ALONE_MS, unit: 'ms' }, figures)
}

async function timeOf(address: string, { path, vary }: LoadCall, agent: Agent): Promise<number> {
  const { headers, body } = vary?.() ?? {}
  const sentAt = performance.now()
  await new Promise<void>((resolve, reject) => {
    const own = { ...headers, 'content-type': 'application/json' }
    const call = request(`${address}${path}`, { method: 'POST', agent, headers: own }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error('refused'))))
    })
    call.on('error', reject).end(body)
  })
  return performance.now() - sentAt
}
