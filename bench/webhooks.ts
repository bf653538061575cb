import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerNamed, type SignedClient } from '../e2e/signed-client.ts'
import { type ApiProcess, SECRET, startApi } from './contenders.ts'
import { type Benchmark, type Measurement, percentile, rounded } from './measurement.ts'
import { stages } from './stages.ts'

const OWNERS = 5
const RECEIVERS = 20
const ROUNDS = 25
const MOST = 1.2
const DEAD = '/0/0'

/** From a change to its call at 99 receivers, while the hundredth answers and while it keeps every call without an
 * answer. */
export const webhooks: Benchmark = async () => {
  const measurements: Measurement[] = []
  for await (const { name, forApi } of stages()) {
    const api = await startApi(forApi, { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' } })
    const receivers = await Receivers.start()
    try {
      measurements.push(await measure(name, api, receivers))
    } finally {
      receivers.stop()
      await api.stop('SIGKILL')
    }
  }
  return measurements
}

async function measure(name: string, api: ApiProcess, receivers: Receivers): Promise<Measurement> {
  const owners = await Promise.all(
    Array.from({ length: OWNERS }, (_, index) => ownerNamed(`hooks${index}`, api.address, SECRET)),
  )
  const dead = await subscribe(owners, receivers.address)
  const times = { alive: [] as number[], dead: [] as number[] }
  // In the middle, so that a machine that gets busier counts for both.
  for (const state of ['alive', 'dead', 'alive'] as const) {
    receivers.isDead = state === 'dead'
    for (let round = 0; round < (state === 'dead' ? 2 * ROUNDS : ROUNDS); round++) {
      // Its failures would pace it, so it is turned on anew for each change.
      if (state === 'dead') await dead.reset()
      times[state].push(...(await changed(owners, receivers)))
    }
    if (state === 'dead') {
      receivers.isDead = false
      await dead.reset()
    }
  }
  const [alive, beside] = [percentile(times.alive, 0.99), percentile(times.dead, 0.99)]
  return {
    what: `from a change to 99 receivers, p99, ${name}`,
    subject: `${rounded(beside)} ms beside a receiver that never answers`,
    baseline: `${rounded(alive)} ms beside one that answers`,
    figure: (beside / alive).toFixed(2),
    target: `≤ ${MOST}`,
    isMet: beside / alive <= MOST,
  }
}

async function subscribe(owners: readonly SignedClient[], address: string) {
  let deadId = ''
  for (const [index, { call }] of owners.entries()) {
    for (let count = 0; count < RECEIVERS; count++) {
      const path = `/${index}/${count}`
      const body = { url: `${address}${path}`, events: ['bundle.created' as const] }
      const { id } = await call('POST', '/api/v1/webhooks', { body })
      if (path === DEAD) deadId = id
    }
  }
  const params = { webhook_id: deadId }
  return {
    async reset() {
      const path = '/api/v1/webhooks/{webhook_id}'
      await owners[0]?.call('PUT', path, { params, body: { is_active: true } })
    },
  }
}

/** Make a change in each workspace. @returns milliseconds until each receiver but the dead one had it */
async function changed(owners: readonly SignedClient[], receivers: Receivers): Promise<number[]> {
  const name = `b-${randomUUID()}`
  const startedAt = await Promise.all(
    owners.map(async ({ call }) => {
      await call('POST', '/api/v1/bundles', { body: { name } })
      return performance.now()
    }),
  )
  const arrivals = await receivers.all(name, OWNERS * RECEIVERS - 1)
  return arrivals.map(({ owner, at }) => at - (startedAt[owner] ?? 0))
}

type Arrival = { owner: number; at: number }

/** A hundred receivers, by path, on one port. */
class Receivers {
  isDead = false
  readonly address: string
  readonly #server: Server
  readonly #arrivals: Map<string, Arrival[]>

  private constructor(server: Server, arrivals: Map<string, Arrival[]>) {
    this.#server = server
    this.#arrivals = arrivals
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async start(): Promise<Receivers> {
    const arrivals = new Map<string, Arrival[]>()
    const server = createServer((request, response) => {
      const [at, path = ''] = [performance.now(), request.url]
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        if (path === DEAD && receivers.isDead) return
        response.writeHead(204).end()
        if (path === DEAD) return
        const { name } = JSON.parse(Buffer.concat(chunks).toString('utf8')).data.bundle
        const owner = Number(path.split('/')[1])
        arrivals.set(name, [...(arrivals.get(name) ?? []), { owner, at }])
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const receivers = new Receivers(server, arrivals)
    return receivers
  }

  async all(name: string, count: number): Promise<readonly Arrival[]> {
    while ((this.#arrivals.get(name)?.length ?? 0) < count) await sleep(5)
    return this.#arrivals.get(name) ?? []
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
