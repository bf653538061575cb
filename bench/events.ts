import { randomUUID } from 'node:crypto'
import { type ApiProcess, startApi, WITHOUT_EVENTS } from './contenders.ts'
import type { LoadCall } from './load.ts'
import type { Benchmark, BenchOptions, Measurement } from './measurement.ts'
import { type Stage, stages } from './stages.ts'
import { comparison, inTurns } from './turns.ts'

const CHANGED_KEYS = 200

type CallOf = (api: ApiProcess) => Promise<LoadCall>

/** Creating, changing and reading keys, beside the same server when it writes no events. */
export const events: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) measurements.push(...(await measure(stage, options)))
  return measurements
}

async function measure({ name, forApi, forBare }: Stage, options: BenchOptions): Promise<Measurement[]> {
  const databaseUrl = forBare === undefined ? {} : { databaseUrl: forBare }
  const [api, silent] = await Promise.all([
    startApi(forApi),
    startApi({ ...forApi, ...databaseUrl }, { preload: WITHOUT_EVENTS }),
  ])
  const compare = async (what: string, target: number, callOf: CallOf) => {
    const contender = async (it: ApiProcess) => ({
      address: it.address,
      pids: [it.pid],
      call: await callOf(it),
    })
    const turns = await inTurns({ subject: await contender(api), baseline: await contender(silent) }, options)
    return comparison({ what: `${what}, ${name}`, beside: 'without events', target }, turns)
  }
  try {
    return [
      // Reads come first, because writes leave events behind that take some time.
      await compare('read a key', 0.98, reading),
      await compare('create a key', 0.75, creating),
      await compare('change a key', 0.65, changing),
    ]
  } finally {
    await Promise.all([api.stop('SIGKILL'), silent.stop('SIGKILL')])
  }
}

function draft() {
  return { name: `K_${randomUUID().replaceAll('-', '_')}`, value: randomUUID() }
}

async function creating({ owner: { headers } }: ApiProcess): Promise<LoadCall> {
  return { method: 'POST', path: '/api/v1/keys', headers, vary: () => ({ body: JSON.stringify(draft()) }) }
}

async function changing({ owner: { headers, call } }: ApiProcess): Promise<LoadCall> {
  const paths: string[] = []
  for (let count = 0; count < CHANGED_KEYS; count++) {
    const { id } = await call('POST', '/api/v1/keys', { body: draft() })
    paths.push(`/api/v1/keys/${id}`)
  }
  let next = 0
  const vary = () => ({
    path: paths[next++ % paths.length] ?? '',
    body: JSON.stringify({ value: randomUUID() }),
  })
  return { method: 'PUT', path: '/', headers, vary }
}

async function reading({ owner: { headers, call } }: ApiProcess): Promise<LoadCall> {
  const { id } = await call('POST', '/api/v1/keys', { body: draft() })
  return { path: `/api/v1/keys/${id}`, headers }
}
