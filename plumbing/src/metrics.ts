import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client'
import { http } from './node-http.ts'

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10, 35]
// A scrape of Prometheus ends after ten seconds.
const READ_MS = 3_000
const LABELS = ['part', 'method', 'route', 'status'] as const

// Both layers may run in one process, and then they count into one registry.
function found<T>(name: string, make: () => T): T {
  return (register.getSingleMetric(name) as T | undefined) ?? make()
}

/** Count answered calls and their durations, by the route's pattern.
 * @param part which of the two servers counts */
export function countCalls(app: FastifyInstance, part: 'api' | 'web'): void {
  const calls = found('keyferry_calls_total', () => {
    return new Counter({ name: 'keyferry_calls_total', help: 'Calls answered', labelNames: LABELS })
  })
  const seconds = found('keyferry_call_seconds', () => {
    const help = 'How long calls took to answer'
    const labelNames = ['part', 'route'] as const
    return new Histogram({ name: 'keyferry_call_seconds', help, labelNames, buckets: BUCKETS_SECONDS })
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const status = String(reply.statusCode)
    calls.inc({ part, method: request.method, route, status })
    seconds.observe({ part, route }, reply.elapsedTime / 1_000)
  })
}

/** By name: what is read when the metrics are collected. */
export type Gauges = Readonly<Record<string, { help: string; read: () => number | Promise<number> }>>

/** Show each gauge, and NaN while it cannot be read in time: the other metrics matter most then. */
export function showGauges(gauges: Gauges): void {
  for (const [name, { help, read }] of Object.entries(gauges)) {
    register.removeSingleMetric(name)
    const reading = async () => await read()
    const late = () => sleep(READ_MS, Number.NaN, { ref: false })
    const collect = async () => gauge.set(await Promise.race([reading().catch(() => Number.NaN), late()]))
    const gauge: Gauge = new Gauge({ name, help, collect })
  }
}

/** Serve the counts and the process's resource use at `/metrics` on a separate address.
 * @returns stops serving */
export async function serveMetrics(place: { host: string; port: number }): Promise<() => Promise<void>> {
  if (!register.getSingleMetric('process_cpu_seconds_total')) collectDefaultMetrics()
  const server = http
    .createServer((request, response) => {
      const isAsked = request.method === 'GET' && request.url === '/metrics'
      void (isAsked ? answerMetrics(response) : response.writeHead(404).end())
    })
    .listen(place.port, place.host)
  await once(server, 'listening')
  return async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function answerMetrics(response: ServerResponse): Promise<void> {
  try {
    response.writeHead(200, { 'content-type': register.contentType }).end(await register.metrics())
  } catch {
    response.destroy()
  }
}
