import { randomBytes } from 'node:crypto'
import { freePort } from '@keyferry/plumbing/free-port'
import { freshPostgres } from '../plumbing/test/postgres.ts'
import { startRedis } from '../plumbing/test/redis-server.ts'
import { until } from '../plumbing/test/until.ts'
import { Program, temporaryFolder } from '../server/test/program.ts'
import { type IdentityProvider, startIdentityProvider } from '../web/test/identity-provider.ts'
import { type ProxyKind, startProxy } from './nginx.ts'

export type NodeName = 'web-1' | 'web-2' | 'api-1' | 'api-2'

/** Two web and two API nodes on PostgreSQL and Redis behind a proxy, with a real identity provider. */
export type ManyNodes = {
  /** Where people and clients come in: the proxy. */
  publicUrl: string
  provider: IdentityProvider
  /** A node's own address. */
  addressOf(name: NodeName): string
  /** Resolves once exactly this many calls wait at the API nodes. */
  untilWaiting(calls: number): Promise<void>
  kill(name: NodeName, signal?: NodeJS.Signals): Promise<void>
  /** Start a node that was killed, on its port. */
  start(name: NodeName): Promise<void>
  close(): Promise<void>
}

/** @param changes settings of all nodes */
export async function startManyNodes(
  proxy: ProxyKind = 'nginx',
  changes: Readonly<Record<string, string>> = {},
): Promise<ManyNodes> {
  const redis = await startRedis()
  const folder = temporaryFolder()
  const [publicPort, web1, web2, api1, api2, metrics1, metrics2] = await freePorts()
  const publicUrl = `http://127.0.0.1:${publicPort}`
  const provider = await startIdentityProvider({ webUrl: publicUrl })
  const shared = {
    REDIS_URL: redis.url,
    BFF_SHARED_SECRET: randomBytes(32).toString('base64'),
    AUTH_MODE: 'oidc',
    TRUST_PROXY: '127.0.0.1',
    DATA_DIR: folder.path,
    PUBLIC_URL: publicUrl,
    ...changes,
  }
  const settings = {
    api: {
      ...shared,
      DATABASE_URL: await freshPostgres(),
      ROOT_KEY: randomBytes(32).toString('base64'),
      REQUIRE_SIGNATURE_V2: '1',
    },
    web: {
      ...shared,
      API_URL: `http://127.0.0.1:${api1},http://127.0.0.1:${api2}`,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
    },
  }
  const ports: Record<NodeName, number> = { 'web-1': web1, 'web-2': web2, 'api-1': api1, 'api-2': api2 }
  const metricsPorts = new Map<NodeName, number>([
    ['api-1', metrics1],
    ['api-2', metrics2],
  ])
  const programs = new Map<NodeName, Program>()
  const start = async (name: NodeName) => {
    const role = name.startsWith('web') ? 'web' : 'api'
    const metricsPort = metricsPorts.get(name)
    const metrics = metricsPort === undefined ? {} : { METRICS_PORT: String(metricsPort) }
    const program = new Program({ ...settings[role], ...metrics, PORT: String(ports[name]) }, [role])
    programs.set(name, program)
    await program.ready()
  }
  const kill = async (name: NodeName, signal: NodeJS.Signals = 'SIGKILL') => {
    await programs.get(name)?.stop(signal)
  }
  await Promise.all((['web-1', 'web-2', 'api-1', 'api-2'] as const).map(start))
  const stopProxy = await startProxy(proxy, { public: publicPort, web: [web1, web2] })
  const untilWaiting = async (calls: number) => {
    await until('waiting calls', async () => {
      const waiting = await Promise.all([...metricsPorts.values()].map(waitingAt))
      return waiting.reduce((sum, each) => sum + each, 0) === calls
    })
  }
  const close = async () => {
    await stopProxy()
    await Promise.all([...programs.keys()].map((name) => kill(name)))
    await Promise.all([provider.close(), redis.stop()])
    folder.remove()
  }
  const addressOf = (name: NodeName) => `http://127.0.0.1:${ports[name]}`
  return { publicUrl, provider, addressOf, untilWaiting, kill, start, close }
}

async function waitingAt(metricsPort: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return Number(/^keyferry_held_calls (\d+)$/m.exec(metrics)?.[1])
}

async function freePorts(): Promise<[number, number, number, number, number, number, number]> {
  const ports = new Set<number>()
  while (ports.size < 7) ports.add(await freePort())
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = ports
  return [a, b, c, d, e, f, g]
}
